-- claim_from: moves up to p_max tasks from the lines from which one model takes into leases, each
-- together with its permit. A task past its deadline is never claimed; it ends as expired.
-- Params:  p_last: only tasks of this rank and better (-1: priorities above 0); p_more: how many it
--          might take beyond p_max in the claim's second round.
-- Returns: the new leases; none when the model's lock is busy or nothing is ready or permitted.
--
-- All policy acts here: which lanes wait (4_policy/lanes.sql), whose turn it is
-- (4_policy/fair_share.sql), how many of a route's tasks are the model's (4_policy/routing.sql). If
-- only one lane waits it is one scan and one move (D-001).
create or replace function sluice.claim_from(
  p_model int, p_worker bigint, p_max int, p_now timestamptz,
  p_last smallint default sluice.rank_max(), p_more int default 0)
returns sluice.lease[]
language plpgsql volatile
as $$
declare
  v record;
  v_model sluice.models;
  v_quota sluice.quota;
  v_now timestamptz;
  v_probes int;
  v_want int := p_max;
  v_shares sluice.claim_share[];
  v_heads sluice.head[];
  v_leases sluice.lease[];
begin
  if not pg_try_advisory_xact_lock(sluice.lock_class('model'), p_model) then
    return '{}';
  end if;
  -- The time is read under the lock, so that the times of its holders follow each other, and after
  -- the row, so that no change of its limits lies in the future. One statement asks for what is
  -- mostly not there: one for each would cost 40,000 instructions.
  select m as model, exists (select from sluice.ready_line r where r.line < 0) as are_routes,
    exists (select from sluice.breaker b
            where b.model = m.id and (b.state <> 'closed'
              or b.heeded_change is distinct from m.calls_changed_at)) as is_tried,
    m.tpm is not null or m.is_budgeted or exists (select from sluice.tenants t
      where t.rpm is not null or t.tpm is not null) as has_quotas,
    (select r.next from sluice.lane_round r where r.model = m.id and r.line = m.id order by r.model,
      r.line, r.n desc limit 1) as next
  into v from sluice.models m where m.id = p_model;
  if not found then  -- it was deleted just now
    return '{}';
  end if;
  v_model := v.model;
  v_now := coalesce(p_now, clock_timestamp());
  if v_model.rpm is not null then
    v_quota := sluice.request_quota(v_model);
    perform sluice.mend_bucket(v_quota, v_now);
    v_want := least(v_want, sluice.permits_now(v_quota, v_now));
  end if;
  if v_model.max_in_flight is not null then
    v_want := least(v_want, sluice.calls_left(v_model));
  end if;
  if v.is_tried then
    v_probes := sluice.probes_now(v_model, v_now);
    v_want := least(v_want, v_probes);
  end if;
  if v_want <= 0 then
    return '{}';
  end if;
  v_shares := case when v.are_routes then sluice.lines_open(v_model, v_want, v_now,
      p_worker)
    else array[row(p_model, null, null, null, null)]::sluice.claim_share[] end;
  -- The usual case: one line is open, no tenant has a quota, and no round is under way. Then its
  -- rows are taken directly. (By a function of its own a claim of one was 4 % dearer; D-397.)
  if cardinality(v_shares) = 1 and not v.has_quotas and (case when v_shares[1].line > 0
      then v.next is null
      else not sluice.bounds_deadlines(v_shares)
        and (sluice.round_of(p_model, v_shares[1].line)).next is null end) then
    execute 'call sluice.take_' || sluice.line_name(v_shares[1].line)
      || '(null, null, $1, $2, $3, $4, $5, $6)' into v_heads, v_leases
    using p_last, sluice.looks(v_want) + 1, least(v_want, v_shares[1].most), p_model, p_worker,
      v_now;
  end if;
  if v_leases is null and coalesce(cardinality(v_heads) > 1, v_shares <> '{}') then
    v_leases := sluice.take_turns(v_model, p_worker, v_shares, v_heads, v_want, not v.has_quotas,
      p_last, v_now);
  end if;
  v_leases := coalesce(v_leases, '{}');
  -- a look for urgent tasks that finds none says nothing about the others
  if v_shares[1].line < 0 and (v_leases <> '{}' or p_last = sluice.rank_max()) then
    perform sluice.note_routed(v_model, v_shares, v_want,
      v_want < p_max or p_last < sluice.rank_max(), v_leases, v_now, p_more);
  end if;
  if v_leases = '{}' then
    -- Tasks that were over a budget have left; what stands behind them is for the next claim.
    perform sluice.notify('sluice_work', '0')
    where p_now is null and v_model.is_budgeted and p_model = any (sluice.over_models(true));
    return v_leases;
  end if;
  if v_model.is_budgeted then
    perform set_config('sluice.over_models', array_remove(sluice.over_models(false), p_model)::text,
      false)
    where p_model = any (sluice.over_models(false));
  end if;
  if v_model.rpm is not null then
    perform sluice.take_permits(v_quota, cardinality(v_leases), v_now);
  end if;
  if v_probes is not null then
    update sluice.breaker set probe_task = v_leases[1].task_id, probe_fence = v_leases[1].fence
    where model = p_model;
  end if;
  perform sluice.count_claimed(p_model, cardinality(v_leases));
  if v_model.hedge_after is not null then
    perform sluice.count_hedgeable(v_model, v_leases);
  end if;
  return v_leases;
end
$$;
