-- close_until: writes a model's closing time, if that moves it by a second or more: a storm of throttled calls must not
-- update the row that every submit reads.
create or replace function sluice.close_until(p_model text, p_until timestamptz, p_reason text) returns void
language sql volatile
as $$
  update sluice.models set closed_until = p_until, closed_reason = left(p_reason, 500)
  where name = p_model
    and case when closed_until is null or p_until is null or not isfinite(closed_until) or not isfinite(p_until)
        then closed_until is distinct from p_until
        else abs(extract(epoch from p_until - closed_until)) >= 1
          -- Opening and closing are never small, however short the closure.
          or (closed_until <= clock_timestamp()) <> (p_until <= clock_timestamp()) end
$$;
