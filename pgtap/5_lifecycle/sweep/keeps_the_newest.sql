begin;
\set alone
\ir ../../_helpers.sql
\ir ../../4_policy/fair_share/_fair_turns.sql
\ir ../../4_policy/choice/_speeds.sql
select plan(7);

select given_model() as m \gset
select given_route(:'m') as r \gset
select given_mark(:'m', at(n)) from generate_series(1, 5) n \g /dev/null
select given_mark(:'m', at(1), 7), sluice.note_meter(own_line(:'r'), 1, at(n), n, 1)
from generate_series(1, 5) n \g /dev/null
select sluice.note_clocks(id_of(:'m'), array[turned('a', n, n + 1), turned('b', 0, 1, 0),
  turned('c', 0, n + 2, 0)]),
  sluice.note_round(round_at(:'m', n), n) from generate_series(1, 5) n \g /dev/null
select given_speed(:'m', 1), given_speed(:'m', 2) \g /dev/null
select sluice.clean_hints() \g /dev/null
select is((select count(*) from sluice.mark where line = id_of(:'m')), 2::bigint, 'one a lane');
select is(marked(:'m'), at(5), 'the newest');
select is((select array_agg(v) from sluice.meter where line = own_line(:'r')), '{5}'::float8[],
  'so of meters');
select is((select array_agg(v order by v) from sluice.tenant_clock
  where model = id_of(:'m')), '{5,6,7}', 'so of clocks that are ahead of the level, and of that');
select is((select array_agg(next) from sluice.lane_round where line = id_of(:'m')), '{5}',
  'so of rounds');
select is((select array_agg(seconds) from sluice.speed where model = id_of(:'m')), '{2000}',
  'and of speeds');

select sluice.note_clocks(id_of(:'m'), array[turned('a', 2e12, 2e12)]) \g /dev/null
select sluice.clean_hints() \g /dev/null
select is((select count(*) from sluice.tenant_clock where model = id_of(:'m')), 0::bigint,
  'none of a model whose clocks have come beyond measure');

select * from finish();
rollback;
