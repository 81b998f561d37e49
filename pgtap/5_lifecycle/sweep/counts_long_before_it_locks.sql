-- sluice.sweep
-- The attack: a million tasks of a tenant. The sweep counted all tenants' while it held locks
-- of all models, and no claim got anything for a second.
begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_budgets.sql
select plan(2);

select setval('sluice.sweep_after', 0, false), setval('sluice.load_all', last_value)
from sluice.task_id \g /dev/null
select given_budget('tenant', 'b', 1000) \g /dev/null
select given_model() from generate_series(1, 3) \g /dev/null
create temporary table held (part text, locks bigint);
grant insert on held to sluice_owner;
create function model_locks() returns bigint language sql
as $$ select count(*) from pg_locks where pid = pg_backend_pid() and locktype = 'advisory'
  and granted and classid = sluice.lock_class('model') $$;
do $$
begin
  execute format('create or replace function sluice.look_at_tenants(p_now timestamptz) returns void
    language sql as $f$ insert into pg_temp.held values (''tenants'', %1$s.model_locks()) $f$;
    create or replace function sluice.look_at_budgets(p_now timestamptz) returns int
    language sql as $f$ insert into pg_temp.held values (''budgets'', %1$s.model_locks())
      returning 0 $f$', (select pronamespace::regnamespace from pg_proc
      where proname = 'model_locks'));
end
$$;
select sluice.sweep(at(0)) \g /dev/null
select results_eq('select part, locks from held order by 1',
  $$values ('budgets', 0::bigint), ('tenants', 0)$$, 'nobody''s claim waits for them');
select cmp_ok(model_locks(), '>=', 3::bigint, 'the models are locked after it');

select * from finish();
rollback;
