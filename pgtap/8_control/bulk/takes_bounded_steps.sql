begin;
\ir ../../_helpers.sql
select plan(5);

select given_model() as m \gset
select sluice.cancel(id, at(1)) from unnest(given_tasks(:'m', 25)) id \g /dev/null
select is(sluice.forget_step(), 10000, 'ten thousand a call');
create or replace function sluice.forget_step()
returns int language sql immutable as $$ select 10 $$;
select is(sluice.forget_all(:'m', p_now => at(2)), 10::bigint, 'no more than a step');
select is(sluice.forget_all(:'m', p_now => at(2)), 10::bigint, 'another one');
select is(sluice.forget_all(:'m', p_now => at(2)), 5::bigint, 'the rest');
select is(sluice.forget_all(:'m', p_now => at(2)), 0::bigint, 'then 0');

select * from finish();
rollback;
