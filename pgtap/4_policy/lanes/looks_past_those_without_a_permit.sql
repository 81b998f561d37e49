begin;
\ir ../../_helpers.sql
\ir ../../4_policy/fair_share/_fair_turns.sql
select plan(1);

select given_model() as m \gset
create temporary table held on commit drop as select given_tenant(rpm => 1) as tenant
  from generate_series(1, 20);
select sluice.take_permits(sluice.request_quota(t), 1, at(0)) as x from sluice.tenants t
  join held h on h.tenant = t.name \g /dev/null
select waits(:'m', tenant, 1) from held \g /dev/null
select waits(:'m', 'free', 1, p_rank => 5) \g /dev/null
select is((select array_agg(h.rank::int) from unnest(sluice.open_heads(id_of(:'m'), 4, at(1))) h),
  '{5}', 'the one behind twenty');

select * from finish();
rollback;
