begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
update sluice.settings set claim_bytes_max = 100000;
select given_worker() as w \gset
select given_task(:'m', prompt => repeat('x', 40000)) from generate_series(1, 3) \g /dev/null
select given_task(:'m', prompt => repeat('x', 300000)) as huge \gset
select claimed(:w, 4) \g /dev/null
select results_eq(format('select api is not null from sluice.requests(%s) order by task_id', :w),
  array[true, true, false, false], 'two fit into 100,000 bytes');
select is((select length(prompt) from sluice.requests(:w, array[:huge])), 300000,
  'but one is always given');

select * from finish();
rollback;
