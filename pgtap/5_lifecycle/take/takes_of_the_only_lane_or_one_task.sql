begin;
\ir ../../_helpers.sql
\ir ../../4_policy/fair_share/_fair_turns.sql
select plan(12);

select given_model() as m \gset
create function taken(p_model text, p_want int, p_looks int default 8, out rows int, out lanes int)
  language plpgsql
as $$
declare
  v_heads sluice.head[];
  v_leases sluice.lease[];
begin
  execute format('call sluice.take_%s(null, null, 100::smallint, $1, $2, $3, 1, at(1))',
    id_of(p_model)) into v_heads, v_leases using p_looks + 1, p_want, id_of(p_model);
  rows := cardinality(v_leases);
  lanes := cardinality(v_heads);
end
$$;
select is(taken(:'m', 5), row(null::int, 0), 'nothing waits');
select waits(:'m', 'a', 20) \g /dev/null
select is(taken(:'m', 1), row(1, 1), 'one');
select is(taken(:'m', 5), row(5, 1), 'or as many as are wanted');
select given_mark(:'m', at(-1), 0, 'a') \g /dev/null
select is(taken(:'m', 1), row(1, 1), 'behind its mark, too');
select waits(:'m', 'b', 1) \g /dev/null
select is(taken(:'m', 5), row(null::int, 2),
  'of several none: that takes weights and clocks');
select is(taken(:'m', 5, 1), row(null::int, 2), 'nor of more than it looks at');
select is((select sum(sluice.depth(id_of(:'m')))), 14::bigint, 'and all are still there');
select is(taken(:'m', 1, 1), row(null::int, 2), 'whose turn it is it does not know then');
select waits(:'m', 'b', 1) \g /dev/null
select is(taken(:'m', 1), row(1, 2), 'else one: of whose turn it is');
select is(taken(:'m', 1), row(1, 2), 'one after the other');
select is((select count(*) from sluice.lease where model = id_of(:'m') and tenant = 'b'), 1::bigint,
  'so that all have theirs');
select is((select sum(reserved_tokens) from sluice.lease where model = id_of(:'m')), 0::numeric,
  'nothing is reserved');

select * from finish();
rollback;
