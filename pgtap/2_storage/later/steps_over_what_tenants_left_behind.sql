-- sluice.later_tenants, sluice.note_later_gone
-- The attack: a tenant's tasks with a run_at, cancelled beside a held snapshot. Each look for what
-- is due by turns walked over all of them: 0.4 s with 680,000.
begin;
\set alone
\ir ../../_helpers.sql
select plan(8);

select given_model() as m \gset
create function later(p_model text, p_from int, p_to int, p_at numeric, p_tenant text)
returns bigint[] language sql
as $$ with made as (insert
  into sluice.later (task_id, ready_at, model, request_bytes, fence, rank, attempts, tenant)
      select n, at(p_at), id_of(p_model), 1, 0, 0, 0, p_tenant from generate_series(p_from, p_to) n
      returning task_id)
  select array_agg(task_id) from made $$;
create function tenants() returns bigint[] language sql
as $$ select array_agg(t order by t) from unnest(sluice.later_tenants(10)) t $$;
create function keys(p_tenants text[]) returns bigint[] language sql
as $$ select array_agg(sluice.tenant_key(t) order by sluice.tenant_key(t)) from unnest(p_tenants) t
$$;
delete from sluice.mark where line = 0;
select later(:'m', 1, 2, 60, 'a'), later(:'m', 3, 3, 60, 'b') \g /dev/null
-- As beside a snapshot that is held: each of its rows is visited, and none is seen.
select sluice.take_waiting('later', later(:'m', 1001, 41000, 1000, 'gone')) \g /dev/null
select pg_stat_get_xact_blocks_fetched('sluice.later'::regclass) as before \gset
select is(tenants(), keys('{a,b,gone}'), 'tenants that wait, and one whose tasks were cancelled');
select cmp_ok(pg_stat_get_xact_blocks_fetched('sluice.later'::regclass) - :before, '<', 20::bigint,
  'over which it does not walk');
select is(sluice.mark_of(0, 0::smallint, 0), '-infinity', 'this is no mark of all that waits');
select is(cardinality(sluice.later_tenants(2)), 2, 'no more than asked for');
select is((select count(distinct (sluice.later_tenants(1))[1]) from generate_series(1, 200)),
  3::bigint, 'from anywhere on');
select later(:'m', 4, 5, 20, 'gone') \g /dev/null
select is(tenants(), keys('{a,b,gone}'), 'once, when it has tasks again');
select is((select array_agg(l.task_id order by l.task_id)
    from unnest(sluice.due_by_turns(at(10), 6, at(100))) d join sluice.later l on l.ctid = d),
  '{1,2,3,4,5}', 'which have their turns');
select sluice.note_later_gone(null), sluice.note_later_gone('{}'),
  sluice.take_waiting('later', '{}');
select is((select array_agg(distinct m.tenant) from sluice.mark m where m.line = 0),
  keys('{gone}'), 'of nothing there is no note');

select * from finish();
rollback;
