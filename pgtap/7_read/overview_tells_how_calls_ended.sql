begin;
\ir ../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select given_tasks(:'m', 3, at(0)) as ids \gset
select claimed(:w, 3, at(1)) \g /dev/null
select completed(:w, told((:'ids'::bigint[])[1], 'solved', input_tokens => 5, output_tokens => 7),
  at(3)), completed(:w, told((:'ids'::bigint[])[2], 'failed'), at(4)) \g /dev/null
select is((select (solved, failed, p50_s, calls, tokens) from sluice.model_ends(at(5))
  where model = :'m'), (1::bigint, 1::bigint, 2::double precision, 2::double precision,
  12::double precision), 'by model');
select is((select (solved_10min, failed_10min, p99_s, in_flight) from sluice.overview(at(5))
  where model = :'m'), (1::bigint, 1::bigint, 2::double precision, 1::bigint), 'in the overview');
select is((select (solved, calls) from sluice.model_ends(at(70)) where model = :'m'),
  (1::bigint, 0::double precision), 'after a minute there are no calls a minute');
select is_empty(format($$select * from sluice.model_ends(at(700)) where model = %L$$, :'m'),
  'after ten minutes nothing');

select * from finish();
rollback;
