begin;
\ir ../../_helpers.sql
\ir ../../4_policy/fair_share/_fair_turns.sql
select plan(7);

select given_model() as m \gset
select waits(:'m', 'tenant ' || n, 1) from generate_series(1, 30) n \g /dev/null
create function looked(p_model text, p_looks int, p_want int, out heads sluice.head[],
  out round sluice.lane_round) language sql
as $$ select * from sluice.waiting_lanes(id_of(p_model), id_of(p_model), p_looks, 100::smallint,
  p_want, at(1), -100::smallint) $$;
select is(cardinality((looked(:'m', 64, 64)).heads), 30, 'all, if they are few');
select is(((looked(:'m', 64, 64)).round).line, null, 'which is no round');
select heads as h, round as r from looked(:'m', 8, 1) \gset
select is(cardinality(:'h'::sluice.head[]), 4, 'of many, a few more than the claim wants');
select is((:'r'::sluice.lane_round).rank, 0::smallint, 'of a new round');
select sluice.note_round(:'r', (:'h'::sluice.head[])[3].tenant) \g /dev/null
select is(((looked(:'m', 8, 1)).heads)[1], (:'h'::sluice.head[])[3], 'which goes on where it is');
select waits(:'m', 'urgent', 1, p_rank => -1) \g /dev/null
select is((select array_agg(h.rank) from unnest((looked(:'m', 8, 1)).heads[1:2]) h), '{-1,0}',
  'with what has a better rank before it');
select sluice.note_round(:'r', 4611686018427387903) \g /dev/null
select is(((looked(:'m', 8, 1)).round).begins, (:'r'::sluice.lane_round).ends,
  'behind the last lane another one begins');

select * from finish();
rollback;
