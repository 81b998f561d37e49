begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as a, given_model() as b \gset
select given_route(:'a', :'b') as r \gset
update sluice.routes set weight = 3 where route = :'r' and model = :'a';
update sluice.models set paused = true where name in (:'a', :'b');
select given_tasks(:'r', 39) \g /dev/null
select given_task(:'r', run_at => at(60)) \g /dev/null
select results_eq(
  format('select tasks from sluice.routed_tasks(array[%s, %s]) order by model', id_of(:'a'),
    id_of(:'b')),
  array[30, 10]::bigint[], 'by weight; also what waits for its time');
select is((select tasks from sluice.routed_tasks(array[id_of(:'b')])), 10::bigint,
  'the same for one model alone');
select given_tasks(:'r', 1) \g /dev/null
select is((select sum(tasks) from sluice.routed_tasks(array[id_of(:'a'), id_of(:'b')])),
  41::numeric, 'the shares add up');
select given_tasks(:'a', 10) \g /dev/null
update sluice.models set max_unfinished = 10 where name = :'a';
select results_eq(
  format('select tasks from sluice.routed_tasks(array[%s, %s]) order by model', id_of(:'a'),
    id_of(:'b')),
  array[0, 41]::bigint[], 'none of it for a model that is full by itself');

select * from finish();
rollback;
