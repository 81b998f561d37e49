begin;
\ir ../../_helpers.sql
\ir ../../4_policy/fair_share/_fair_turns.sql
select plan(13);

select given_model() as m \gset
create function taken(p_model text, p_most int, p_want int, p_looks int default 8, out rows int,
  out lanes int) language sql
as $$ select cardinality(t.leases), cardinality(t.heads) from sluice.take_first(id_of(p_model), 1,
  row(id_of(p_model), p_most, null, null, null)::sluice.claim_share, p_looks, p_want, 100::smallint,
  at(1)) t $$;
select is(taken(:'m', null, 5), row(0, 0), 'nothing waits');
select waits(:'m', 'a', 20) \g /dev/null
select is(taken(:'m', null, 1), row(1, 1), 'one');
select is(taken(:'m', null, 5), row(5, 1), 'or as many as are wanted');
select is(taken(:'m', 2, 5), row(2, 1), 'within the line''s share');
select given_mark(:'m', at(-1), 0, 'a') \g /dev/null
select is(taken(:'m', null, 1), row(1, 1), 'behind its mark, too');
select waits(:'m', 'b', 1) \g /dev/null
select is(taken(:'m', null, 5), row(null::int, 2),
  'of several none: that takes weights and clocks');
select is(taken(:'m', null, 5, 1), row(null::int, null::int),
  'of more than it looks at neither are they known');
select is((select sum(sluice.depth(id_of(:'m')))), 12::bigint, 'and all are still there');
select is(taken(:'m', null, 1, 1), row(null::int, null::int), 'nor whose turn it is');
select waits(:'m', 'b', 1) \g /dev/null
select is(taken(:'m', null, 1), row(1, 2), 'else one: of whose turn it is');
select is(taken(:'m', null, 1), row(1, 2), 'one after the other');
select is((select count(*) from sluice.lease where model = id_of(:'m') and tenant = 'b'), 1::bigint,
  'so that all have theirs');
select is((select sum(reserved_tokens) from sluice.lease where model = id_of(:'m')), 0::numeric,
  'nothing is reserved');

select * from finish();
rollback;
