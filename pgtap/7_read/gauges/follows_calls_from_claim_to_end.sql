begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m, given_model() as idle \gset
select given_worker() as w \gset
select given_tasks(:'m', 3);
select results_eq(format('select began, ended from sluice.call_counts() where model = %L', :'m'),
  'values (0::bigint, 0::bigint)', 'nothing has begun');
select claimed(:w, 2) as ids \gset
select results_eq(format('select began, ended from sluice.call_counts() where model = %L', :'m'),
  'values (2::bigint, 0::bigint)', 'a claim begins calls');
select completed(:w, told((:'ids'::bigint[])[1], 'solved'));
select results_eq(format('select began, ended from sluice.call_counts() where model = %L', :'m'),
  'values (2::bigint, 1::bigint)', 'an outcome ends one');
select results_eq(format('select began, ended from sluice.call_counts() where model = %L', :'idle'),
  'values (0::bigint, 0::bigint)', 'each model has its own');

select * from finish();
rollback;
