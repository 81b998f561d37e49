begin;
\ir ../../_helpers.sql
\ir ../../4_policy/fair_share/_fair_turns.sql
select plan(4);

-- The attack: tasks of 201 priorities from a tenant at its quota. Each claim asked for its permits
-- once a priority, and again at each look.
select given_model() as m \gset
select given_worker() as w \gset
select given_tenant(rpm => 1) as held \gset
select sluice.take_permits(sluice.request_quota(t), 1, at(0)) as x from sluice.tenants t
where t.name = :'held' \g /dev/null
select waits(:'m', :'held', 1, p_rank => r) from generate_series(-100, 99) r \g /dev/null
select waits(:'m', 'free', 3, p_rank => 100) \g /dev/null
set local track_functions = 'pl';
select is(cardinality(claimed(:w, 2, at(1))), 2, 'who has permits has the places');
select is(pg_stat_get_xact_function_calls(f.oid) < c.at_most, true,
  format('%s calls of %s', pg_stat_get_xact_function_calls(f.oid), c.name))
from (values ('tenant_headroom', 20), ('lane_heads', 30)) c (name, at_most)
join pg_proc f on f.proname = c.name and f.pronamespace = 'sluice'::regnamespace;
select is(cardinality(sluice.weighed(sluice.lane_heads(id_of(:'m'), 1000, p_now => at(1)), at(1))),
  1, 'all lanes but the one are left out');

select * from finish();
rollback;
