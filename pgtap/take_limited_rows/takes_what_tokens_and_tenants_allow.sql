begin;
\ir ../_helpers.sql
select plan(3);

select given_model(tpm => 6000) as m \gset
select given_tenant(rpm => 1) as t \gset
select given_task(:'m', tenant => :'t') as first \gset
select given_task(:'m', tenant => :'t') as held \gset
select given_task(:'m', max_output_tokens => 5000) as large \gset
select given_task(:'m') as left \gset
create temporary table taken on commit drop as select * from sluice.take_limited_rows(model_row(:'m'), 10, at(1));
select is((select array_agg(g.task_id order by g.task_id) from taken t, unnest(t.gone) g), array[:first]::bigint[],
  'while the bucket is not in debt');
select is((select cardinality(tokens) from taken), 1,
  'with what each reserves');
select is(array[places(:held), places(:large), places(:left)], array['queue', 'queue', 'queue'],
  'the others stay: it is the tokens that are wanting');


select * from finish();
rollback;
