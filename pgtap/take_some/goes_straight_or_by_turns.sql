begin;
\ir ../_helpers.sql
\ir ../fair_turns/_helpers.sql
select plan(6);

select given_model() as m \gset
select waits(:'m', 'a', 5) \g /dev/null
select gone as g, lines as l, cut as c from sluice.take_some(model_row(:'m'), sluice.lane_heads(id_of(:'m'), 9), '{}',
  array[row(id_of(:'m'), 3)]::sluice.line_share[], 4, false, at(1)) \gset
select is(cardinality(:'g'::sluice.queue[]), 3, 'no more than its line''s share');
select is(clock(:'m', 'a'), null, 'alone it has no clock');
select is(:'l'::int[], array_fill(id_of(:'m'), array[3]), 'each with its line');
select waits(:'m', 'b', 5) \g /dev/null
select gone as g, shares as s from sluice.take_some(model_row(:'m'), sluice.lane_heads(id_of(:'m'), 9), '{}', array[row(id_of(:'m'),
  null)]::sluice.line_share[], 4, false, at(1)) \gset
select is((select count(distinct tenant) from unnest(:'g'::sluice.queue[])), 2::bigint, 'two tenants share');
select is(array[clock(:'m', 'a'), clock(:'m', 'b')], '{2,2}', 'by their clocks');
select is(:'s'::sluice.line_share[], array[row(id_of(:'m'), null)]::sluice.line_share[], 'a line without a share has none to lose');

select * from finish();
rollback;
