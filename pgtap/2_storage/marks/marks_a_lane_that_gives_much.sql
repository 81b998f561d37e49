-- sluice.note_taken
begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select given_tasks(:'m', 40) \g /dev/null
select is(cardinality(claimed(:w, 20, at(10))), 20, 'twenty at once');
select is(marked(:'m'), at(0),
  'mark it: before the first row seen, whose deletion is not committed yet');
select cardinality(claimed(:w, 20, at(10))) \g /dev/null
select is(marked(:'m'), at(0), 'which did not move');
select given_task(:'m', p_now => at(9.9)) as late \gset
select is(claimed(:w, 20, at(10.1)), array[:late]::bigint[], 'and hides nothing');

select * from finish();
rollback;
