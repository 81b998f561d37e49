-- Shadows: what a changed limit, budget or weight would do, counted while the present one holds. A
-- look at the history (history.sql) reads the calls that began since the one before, from where
-- they are recorded: leases, results and attempts; nothing on the path of a task knows of shadows.
-- Calls that leave no row (throttled ones), and those whose claim commits only after a look that it
-- began before, are not counted: some of thousands.
--
-- A shadow has what sluice.configure takes, so that to apply it is to configure. It tells what the
-- change would keep from happening or move; what it would let happen sooner nobody has recorded.

-- look_at_shadows: the looks of shadows, those that have waited longest first, for a second at
-- most. A shadow that somebody is ending is left to the next look.
create or replace function sluice.look_at_shadows(p_now timestamptz) returns void
language plpgsql volatile
set lock_timeout = '50ms'
as $$
declare
  v_started timestamptz := clock_timestamp();
  v_shadow sluice.shadow;
begin
  for v_shadow in
    select s.* from sluice.shadow s where s.ended_at is null order by s.looked_at
    for update skip locked
  loop
    begin
      perform sluice.look_at_shadow(v_shadow, p_now);
    exception when others then
      raise warning 'a look of shadow % failed: SQLSTATE %', v_shadow.id, sqlstate;
    end;
    exit when clock_timestamp() > v_started + interval '1 second';
  end loop;
end
$$;

-- look_at_shadow: counts the calls that began since its last look, of budgets those that ended.
-- Hours are kept for 400 days, as those of the history.
create or replace function sluice.look_at_shadow(p_shadow sluice.shadow, p_now timestamptz)
returns void
language plpgsql volatile
as $$
declare
  v_attempt bigint := sluice.attempts_since();
begin
  if p_shadow.looked_at > p_now then  -- the clock was set back
    p_shadow.looked_at := p_now;
  else
    p_shadow := case p_shadow.kind when 'budgets' then sluice.count_over_budget(p_shadow, p_now)
      when 'routes' then sluice.count_moved(p_shadow, p_now)
      else sluice.count_delayed(p_shadow, p_now) end;
  end if;
  update sluice.shadow s set looked_at = p_shadow.looked_at,
    attempt = case when p_shadow.looked_at = p_now then v_attempt else s.attempt end,
    requests_until = p_shadow.requests_until, tokens_until = p_shadow.tokens_until,
    spent = p_shadow.spent, spent_from = p_shadow.spent_from
  where s.id = p_shadow.id;
  delete from sluice.shadow_hour h
  where h.shadow = p_shadow.id and h.at < p_now - interval '400 days';
end
$$;
