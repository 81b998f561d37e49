begin;
\ir ../_helpers.sql
select plan(4);

select given_model() as m \gset
select id_of(:'m') as id, 'sluice.load_' || id_of(:'m') as gauge \gset
select given_tasks(:'m', 3) \g /dev/null
select setval(:'gauge', 84) \g /dev/null
select is(sluice.is_critical('model', :'id', 100), false, 'the gauge, an upper bound, is below');
select is((select pg_sequence_last_value(:'gauge'::regclass)), 84::bigint, 'so nothing is counted');
select setval(:'gauge', 90) \g /dev/null
select is(sluice.is_critical('model', :'id', 100), false, 'counted, there are three');
select is(sluice.is_critical('model', :'id', 3), true, 'which is all of three');

select * from finish();
rollback;
