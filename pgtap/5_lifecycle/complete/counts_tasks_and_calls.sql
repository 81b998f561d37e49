begin;
\ir ../../_helpers.sql
select plan(5);

select given_model() as a, given_model() as b \gset
create function drawn(p_name text) returns bigint language sql
as $$ select coalesce(pg_sequence_last_value(('sluice.' || p_name)::regclass), 0) $$;
select drawn('results_solved') as before \gset
select sluice.count_solved(3, array[id_of(:'a'), id_of(:'b')], '{2,4}') \g /dev/null
select is(drawn('results_solved') - :before, 3::bigint, 'tasks');
select is(array[drawn('ended_' || id_of(:'a')), drawn('ended_' || id_of(:'b'))], '{2,4}',
  'and calls of each model');
select (select solved from sluice.fleet_gauges()) as before \gset
select sluice.count_solved(35, array[id_of(:'a')], '{34}') \g /dev/null
select is((select solved from sluice.fleet_gauges()) - :before, 35::bigint, 'also many at once');
select is(sluice.calls_ended(id_of(:'a')), 36::bigint, 'calls, too');
select lives_ok('select sluice.count_solved(null, null, null)', 'or nothing');

select * from finish();
rollback;
