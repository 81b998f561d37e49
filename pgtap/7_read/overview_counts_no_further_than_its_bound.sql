begin;
\ir ../_helpers.sql
select plan(3);

-- overview_rows_max
select given_model() as m, given_model() as few \gset
create or replace function sluice.overview_rows_max() returns int language sql as 'select 1';
select given_tasks(:'m', 150), given_tasks(:'few', 2) \g /dev/null
select is((select (depth >= 100, is_estimate) from sluice.overview() where model = :'m'),
  (true, true), 'a deep queue: at least what was counted');
select is((select (depth, is_estimate) from sluice.overview() where model = :'few'),
  (2::bigint, false), 'a short one: exactly');
select is((select (tasks, since) from sluice.line_load(id_of(:'m'), 1000)), (150::bigint, at(0)),
  'exactly, with a larger bound');

select * from finish();
rollback;
