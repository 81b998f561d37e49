begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_row(:'m', at(n), n) from generate_series(1, 5) n \g /dev/null
select is((select array_agg(g.task_id) from unnest(sluice.peek_rows(id_of(:'m'), 2)) g), array[1, 2]::bigint[], 'the first two, in order');
select is(cardinality(queued(:'m')), 5, 'still there');
select is(sluice.peek_rows(id_of(given_model()), 2), null, 'an empty queue gives null');

select * from finish();
rollback;
