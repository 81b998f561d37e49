begin;
\ir ../../_helpers.sql
\ir ../../4_policy/fair_share/_fair_turns.sql
select plan(2);

select given_model() as m \gset
select waits(:'m', 'a', 2), waits(:'m', 'b', 2) \g /dev/null
create temporary table took on commit drop as
select * from sluice.take_by_turns(model_row(:'m'), 1, sluice.lane_heads(id_of(:'m'), 9), '{}',
  array[row(id_of(:'m'), null, null, null, null)]::sluice.claim_share[], 3, false, at(1));
select is((select array[cardinality(leases), cardinality(turns)] from took), '{3,3}',
  'leases, and beside each its turn');
select is((select array_agg(g.task_id) from took cross join lateral unnest(leases) g),
  (select array_agg(t.task_id) from took cross join
  lateral unnest(turns) t), 'in the order of their turns');

select * from finish();
rollback;
