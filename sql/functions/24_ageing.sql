-- Ageing: for each settings.ageing that a task has waited its rank is one better, but never better than the best rank that waits: there
-- it shares with what is there, by weight. So nobody waits for ever behind a stream of higher priorities, and nobody's old tasks come
-- before all new ones. (Until schema 44 age lifted without end: of 1,000 places a tenant's 5 new tasks got none beside 2,000 that were
-- 11 minutes old.) Nothing is rewritten: claims compare ranks with the waiting counted in (23_fair_share.sql).

-- aged_rank: p_rank with the waiting since p_ready_at counted in. date_part, not extract: that one is numeric, and slow.
create or replace function sluice.aged_rank(
  p_rank smallint, p_ready_at timestamptz, p_now timestamptz, p_ageing interval) returns smallint
language sql immutable parallel safe
as $$
  select greatest(-100, p_rank
    - greatest(0, floor(date_part('epoch', p_now - p_ready_at) / date_part('epoch', p_ageing))))::smallint
$$;
