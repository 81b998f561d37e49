begin;
\ir ../../_helpers.sql
\ir ../../4_policy/fair_share/_fair_turns.sql
select plan(2);

select given_model() as m \gset
select given_route(:'m') as r \gset
select waits(:'m', 'tenant ' || n, 1) from generate_series(1, 20) n \g /dev/null
select waits(:'r', 'a', 1) \g /dev/null
create function sight(p_model text, p_route text, p_want int, out heads sluice.head[],
  out rounds sluice.lane_round[]) language sql
as $$ select * from sluice.lanes_in_sight(id_of(p_model),
  array[row(own_line(p_route), null, null, null, null), row(id_of(p_model), null, null, null,
    null)]::sluice.claim_share[], greatest(p_want, 8), 100::smallint, p_want, at(1)) $$;
select is((select array[cardinality(heads), cardinality(rounds)] from sight(:'m', :'r', 64)),
  '{21,0}', 'all');
select is((select array[cardinality(heads), cardinality(rounds)] from sight(:'m', :'r', 2)),
  '{6,1}', 'or some, and the round of those');

select * from finish();
rollback;
