begin;
\ir ../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_tasks(:'m', 3) \g /dev/null
select is(sluice.unfinished_for_message(id_of(:'m'), null, 100), 3::bigint, 'counted');
select sluice.set_counter('load', id_of(:'m'), sluice.micros(clock_timestamp() + interval '1 minute')) \g /dev/null
select is(sluice.unfinished_for_message(id_of(:'m'), null, 100), 100::bigint, 'or full, which it is');

select * from finish();
rollback;
