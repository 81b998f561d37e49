begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_worker(array[:'m']) as all_of_them, given_worker(array[:'m']) as w \gset
select is(sluice.serve_versions(:w, '{b,a,b}'), :w::bigint,
  'in one statement with the registration');
select is((select schema_versions from sluice.worker where id = :w), '{a,b}',
  'in order, each once');
select bag_eq(format('select unnest(sluice.live_workers(model_row(%L), at(1), ''a''))', :'m'),
  array[:w, :all_of_them]::bigint[], 'one that named none serves all');
select is(sluice.live_workers(model_row(:'m'), at(1), 'c'), array[:all_of_them]::bigint[],
  'one that named some no other');

select * from finish();
rollback;
