begin;
\ir ../../_helpers.sql
\ir ../../4_policy/fair_share/_fair_turns.sql
select plan(3);

select given_model() as m \gset
create temporary table held on commit drop as select given_tenant(rpm => 1) as tenant
  from generate_series(1, 30);
select sluice.take_permits(sluice.request_quota(t), 1, at(0)) as x from sluice.tenants t
  join held h on h.tenant = t.name \g /dev/null
-- Lanes of each tenant in many ranks stand for many tenants.
select waits(:'m', tenant, 1, p_rank => r) from held, generate_series(-40, 9) r \g /dev/null
select waits(:'m', 'free', 1, p_rank => 50) \g /dev/null
create function opened() returns int[] language sql
as $$ select array_agg(h.rank::int)
  from unnest(sluice.open_heads((select max(id) from sluice.models), 65, at(1))) h $$;
select is(opened(), null, 'a thousand lanes without permits are looked at, and no more');
select is(opened(), '{50}', 'the next look goes on behind them');
select waits(:'m', 'other', 1, p_rank => -50) \g /dev/null
select is((opened())[1], -50, 'and always begins with the best ranks');

select * from finish();
rollback;
