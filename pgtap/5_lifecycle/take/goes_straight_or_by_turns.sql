begin;
\ir ../../_helpers.sql
\ir ../../4_policy/fair_share/_fair_turns.sql
select plan(6);

select given_model() as m \gset
select waits(:'m', 'a', 5) \g /dev/null
select leases as g, cut as c
from sluice.take_some(model_row(:'m'), 1, sluice.lane_heads(id_of(:'m'), 9), '{}',
  array[row(id_of(:'m'), null, null, null, null)]::sluice.claim_share[], 3, true, at(1)) \gset
select is(cardinality(:'g'::sluice.lease[]), 3, 'as many as there are places');
select is(clock(:'m', 'a'), null, 'alone it has no clock');
select is((select array_agg(l.line) from unnest(:'g'::sluice.lease[]) l),
  array_fill(id_of(:'m'), array[3]), 'each with its line');
select waits(:'m', 'b', 5) \g /dev/null
select leases as g, shares as s from sluice.take_some(model_row(:'m'), 1,
  sluice.lane_heads(id_of(:'m'), 9), '{}', array[row(id_of(:'m'),
  null, null, null, null)]::sluice.claim_share[], 4, true, at(1)) \gset
select is((select count(distinct tenant) from unnest(:'g'::sluice.lease[])), 2::bigint,
  'two tenants share');
select is(array[clock(:'m', 'a'), clock(:'m', 'b')], '{2,2}', 'by their clocks');
select is(:'s'::sluice.claim_share[],
  array[row(id_of(:'m'), null, null, null, null)]::sluice.claim_share[],
  'a line without a share has none to lose');

select * from finish();
rollback;
