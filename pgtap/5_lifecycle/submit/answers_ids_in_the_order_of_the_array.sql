begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
create temp table made on commit drop as
select * from sluice.submit_many(
  (select jsonb_agg(jsonb_build_object('prompt', 'p' || n, 'model', :'m') order by n)
                                  from generate_series(1, 5) n), at(0)) with ordinality x(id, n);
select is((select count(*) from made join sluice.task t using (id)
  where t.prompt = 'p' || n), 5::bigint, 'the n-th id is the n-th task''s');
select results_eq('select id from made order by n', 'select id from made order by id',
  'ids ascend');
select results_eq('select places(id) from made order by n', array_fill('queue'::text, array[5]),
  'all wait in the line');
select is_empty($$select * from sluice.submit_many('[]')$$, 'no tasks, no ids');

select * from finish();
rollback;
