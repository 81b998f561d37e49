-- sluice.look_at_tenants
begin;
\set alone
\ir ../../_helpers.sql
select plan(2);

-- A relation for each would be a lock for each in the sweep: with some thousands of tenants there
-- is no memory for them.
select given_model() as m \gset
update sluice.settings set tenant_max_unfinished = 1, max_tenants = null;
select count(*) from sluice.submit_many(
  (select jsonb_agg(jsonb_build_object('prompt', 'q', 'model', :'m', 'tenant', 't' || n))
                                         from generate_series(1, 50) n)) \g /dev/null
select count(*) as before from pg_class \gset
select setval('sluice.tenants_after', 0), setval('sluice.sweep_after', 0),
  setval('sluice.load_all', greatest(1, last_value - 50)) from sluice.task_id \g /dev/null
select sluice.sweep(at(100)) \g /dev/null
select is((select count(*) from pg_class), :before::bigint,
  'no relation, however many tenants are at their most');
select is((select count(*) from generate_series(1, 50) n
  where (error_of(format('select given_task(%L, tenant => %L)', :'m', 't' || n))).code = 'SL005'),
    50::bigint, 'each is bounded');

select * from finish();
rollback;
