begin;
\ir ../../_helpers.sql
\ir ../../4_policy/fair_share/_fair_turns.sql
select plan(5);

select given_model() as m \gset
select waits(:'m', 'tenant ' || n, 40) from generate_series(1, 3) n \g /dev/null
create temporary table k on commit drop as
select h.tenant, row_number() over (order by h.tenant)::int as n
from unnest(sluice.lane_heads(id_of(:'m'), 9)) h;
create function lanes(p_model text, p_places int, p_ends float8) returns int[] language sql
as $$ select array_agg(k.n order by t.ordinality)
  from unnest(sluice.fair_turns(id_of(p_model), sluice.lane_heads(id_of(p_model), 9),
  array[round_at(p_model, null, 10, p_ends)], p_places, at(60))) with ordinality t
    join k using (tenant) $$;
select is(lanes(:'m', 9, 12), '{1,1,2,2,3,3}', 'each as far as it has turns');
select is(lanes(:'m', 3, 12), '{1,1,2}', 'or the claim places');
select sluice.note_clocks(id_of(:'m'), array[turned('tenant ' || n, 10, 10 + n)])
from generate_series(1, 3) n \g /dev/null
select is((select sum(1) from unnest(lanes(:'m', 9, 12)) t), 1::bigint,
  'who has been given some, or more, the fewer');
select given_model() as n \gset
select waits(:'n', 'tenant ' || n, 100) from generate_series(1, 10) n \g /dev/null
create temporary table t on commit drop as
select t.* from unnest(sluice.fair_turns(id_of(:'n'), sluice.lane_heads(id_of(:'n'), 10),
  array[round_at(:'n', null, 10, 112)], 100, at(60))) t;
select is((select count(distinct tenant) from t), 1::bigint,
  'a lane whose rows were not all looked at is the last');
select is((select bool_and(has_more) from t), true, 'which the claim is told');

select * from finish();
rollback;
