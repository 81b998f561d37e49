begin;
\ir ../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_row(:'m', at(n), n) from generate_series(1, 5) n \g /dev/null
select is((select array_agg(g.task_id order by g.task_id) from unnest(sluice.take_rows(id_of(:'m'), 2, at(9))) g), array[1, 2]::bigint[],
  'the first two');
select is(queued(:'m'), array[3, 4, 5]::bigint[], 'they left the queue');
select is(cardinality(sluice.take_rows(id_of(:'m'), 9, at(9))), 3, 'the rest');
select is(sluice.take_rows(id_of(:'m'), 9, at(9)), null, 'an empty queue gives null');

select * from finish();
rollback;
