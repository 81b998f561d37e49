begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_worker() as w \gset
select given_task(:'m', prompt => repeat('x', 30000)) from generate_series(1, 4) \g /dev/null
create temp table got on commit drop as select * from sluice.claim(:w, null, 10,
  at(1)) with ordinality;
select results_eq('select api is not null from got order by ordinality',
  array[true, true, false, false],
  'two bodies of 30,000 bytes fit, the others come by sluice.requests');
select is((select count(*) from got where prompt is not null or timeout_ms is not null), 2::bigint,
  'all columns or none');
select is((select count(*) from got where fence = 1 and attempt = 1 and model = :'m'), 4::bigint,
  'what is short is always there');
select is((select count(*) from sluice.requests(:w,
  array(select task_id from got where api is null))
           where length(prompt) = 30000), 2::bigint, 'and so they do');

select * from finish();
rollback;
