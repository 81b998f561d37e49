begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select given_tasks(:'m', 3) as ts \gset
select claimed(:w, 3) \g /dev/null
select completed(:w, told((:'ts'::bigint[])[1], 'failed')),
  completed(:w, told((:'ts'::bigint[])[2], 'solved')) \g /dev/null
select is(sluice.redrive_tasks(:'ts', at(9)), 1, 'one');
select is((select array_agg(places(t)) from unnest(:'ts'::bigint[]) t),
  array['queue', 'solved', 'lease'], 'the failed one');
select is((select array_agg(kind order by id) from sluice.attempt
  where task_id = (:'ts'::bigint[])[1]), array['failed', 'redriven'], 'its end is kept');
select is(sluice.redrive_tasks(:'ts', at(9)), 0, 'once');

select * from finish();
rollback;
