begin;
\ir ../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
create function since(p_task bigint) returns timestamptz language sql
as $$ select sluice.waits_since(t) from sluice.task t where id = p_task $$;
select given_task(:'m', p_now => at(3)) as t \gset
select is(since(:t), at(3), 'since it was submitted');
select is(since(given_task(:'m', run_at => at(60))), at(60), 'or since its time came');
select claimed(:w, 1, at(4)) \g /dev/null
select completed(:w, told(:t, 'retry'), at(5)) \g /dev/null
select is(since(:t), at(3), 'a retry goes on waiting');
select sluice.cancel(:t, at(6)), sluice.redrive(:t, at(50)) \g /dev/null
select is(since(:t), at(50), 'a redriven task waits since then');

select * from finish();
rollback;
