begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_route(:'m') as r \gset
select given_worker(array[:'m']) as w \gset
select given_tasks(:'m', 3) \g /dev/null
select claimed(:w, 1) \g /dev/null
select given_task(:'m', run_at => at(50)) \g /dev/null
select given_task(:'m') \g /dev/null
select given_task(:'r') \g /dev/null
select is(sluice.own_unfinished(id_of(:'m')), 5::bigint,
  'what waits and is under way, not what waits in its route');
select is((select tasks from sluice.routed_tasks(array[id_of(:'m')])), 1::bigint,
  'one in the route');

select * from finish();
rollback;
