-- Claims for workers: tasks to call, and urgent tasks.

-- claim: gives a worker tasks to call. One claim a transaction, committed synchronously. Call the
-- backend only after the commit, and within send_within_ms of sending the claim; later the permit
-- is forfeited: complete the task as returned. A worker that needs longer says so by the setting
-- sluice.send_within_ms, 5,000 at most, in the claim's session; the quota pays for it.
-- Params:  worker: its id; models: names (null: all it serves); max_tasks: at most this many, at
--          most 1,000.
-- Returns: the tasks, with their bodies while the whole answer stays below 64 KiB. For the others
--          api is null: call sluice.requests.
-- Errors:  SL010 unknown or dead worker: register again. Another one may be of one model: with the
--          setting sluice.claims_apart = on, which costs more, the others give their tasks.
--
-- For workers in other languages; ours call claim_within. After an asynchronous commit and a crash
-- the same fence was issued twice, measured. The answer is sent before the commit, so a worker
-- frozen while it reads a larger one would hold the models' locks for the whole fleet, measured.
-- Shares:  Slots are shared fairly among the models; what one cannot use goes to the others in a
--          second round.
-- Locks:   tries each model's lock (busy: another worker is taking there now, go on). Where hard
--          budgets hold it waits for theirs, last, 10 s at most (1_base/locks.sql).
create or replace function sluice.claim(
  worker bigint, models text[] default null, max_tasks int default 1,
  p_now timestamptz default null)
returns setof sluice.leased_task
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_leases sluice.lease[] := sluice.claim_shares(claim.worker, claim.models, null,
    claim.max_tasks, p_now);
  v_bounds bigint[] := sluice.answer_bounds(v_leases);
begin
  return query select * from sluice.leased_tasks(v_leases[:v_bounds[3]], v_bounds);
  if v_bounds[3] < cardinality(v_leases) then
    return query select * from sluice.leased_without_bodies(v_leases[v_bounds[3] + 1:]);
  end if;
end
$$;

-- claim_within: claim with a maximum for each model, for a worker that has a limit of its own for
-- every model.
-- Params:  worker: its id; models: names; shares: the maximum of each, in the same order;
--          max_tasks: of all together.
-- Returns: as claim.
-- Errors:  as claim.
--
-- Workers keep slots free for the models that need them. They call it in each flush for which they
-- have free slots and a reason to look: a claim that came back full, or a wake-up.
create or replace function sluice.claim_within(
  worker bigint, models text[], shares int[], max_tasks int, p_now timestamptz default null)
returns setof sluice.leased_task
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_leases sluice.lease[] := sluice.claim_shares(claim_within.worker, claim_within.models,
    claim_within.shares, claim_within.max_tasks, p_now);
  v_bounds bigint[] := sluice.answer_bounds(v_leases);
begin
  return query select * from sluice.leased_tasks(v_leases[:v_bounds[3]], v_bounds);
  if v_bounds[3] < cardinality(v_leases) then
    return query select * from sluice.leased_without_bodies(v_leases[v_bounds[3] + 1:]);
  end if;
end
$$;

-- claim_shares: the leases that a claim gives. A claim that ends early notifies all workers, who
-- claim again; with a p_now it does not end early, nor does one that found nothing to do.
-- Params:  p_shares: null: no model has a limit of its own; p_last: the worst rank to take.
-- With the setting sluice.claims_apart one model's error is not the others'.
create or replace function sluice.claim_shares(
  p_worker bigint, p_models text[], p_shares int[], p_max int, p_now timestamptz,
  p_last smallint default sluice.rank_max()) returns sluice.lease[]
language plpgsql volatile
as $$
declare
  v_started timestamptz := clock_timestamp();
  v_open int[] := sluice.open_models(p_worker, p_models, p_now);
  v_all_ranks boolean := p_last = sluice.rank_max();  -- a look for urgent tasks is nobody's turn
  v_first int;
  v_left int := least(p_max, 1000);
  v_caps int[];
  v_cap int;
  v_taken sluice.lease[];
  v_all sluice.lease[];
  v_more int[];
  v_more_caps int[];
  v_until timestamptz;
  v_is_apart boolean;
begin
  if cardinality(v_open) = 1 then  -- mostly: nobody shares
    return sluice.claim_from(v_open[1], p_worker, least(v_left, case when p_shares is not null
      then (sluice.caps_of(v_open, p_models, p_shares))[1] end), p_now, p_last);
  elsif v_open = '{}' then
    return '{}';
  end if;
  v_until := clock_timestamp() + sluice.claim_long(clock_timestamp() - v_started);
  select d.ids, d.first, current_setting('sluice.claims_apart', true) = 'on', '{}', '{}', '{}'
  into v_open, v_first, v_is_apart, v_all, v_more, v_more_caps
  from sluice.claim_order(v_open, v_left) d;
  v_caps := sluice.caps_of(v_open, p_models, p_shares);
  if v_all_ranks then
    perform sluice.note_asks(case when 0 < all (v_caps) then v_open else array(select o.id
        from unnest(v_open, v_caps) o(id, cap) where o.cap > 0) end,
      coalesce(p_now, clock_timestamp()), p_worker);
  end if;
  for v_round in 1 .. 2 loop
    for i in 1 .. cardinality(v_open) loop
      exit when v_left <= 0;
      if p_now is null and clock_timestamp() > v_until
         and (v_all <> '{}' or sluice.over_models(true) <> '{}') then
        perform set_config('sluice.model_before', v_open[i - 1]::text, false)
        where v_round = 1 and v_all_ranks;
        perform sluice.notify('sluice_work', '0');
        return v_all;
      end if;
      continue when v_caps[i] <= 0;
      v_cap := least(v_caps[i], case v_round
        when 1 then (v_left - 1) / greatest(1, v_first - i + 1) + 1 else v_left end);
      v_taken := case when v_is_apart
        then sluice.claim_apart(v_open[i], p_worker, v_cap, p_now, p_last,
          least(v_left, v_caps[i]) - v_cap)
        else sluice.claim_from(v_open[i], p_worker, v_cap, p_now, p_last,
          least(v_left, v_caps[i]) - v_cap) end;
      v_all := v_all || v_taken;
      if v_round = 1 and v_all_ranks and (v_left <= cardinality(v_taken) or i = 1) then
        perform set_config('sluice.model_before', v_open[i]::text, false);
      end if;
      if cardinality(v_taken) > 0 then
        v_more := v_more || v_open[i];
        v_more_caps := v_more_caps || v_caps[i] - cardinality(v_taken);
      end if;
      v_left := v_left - cardinality(v_taken);
    end loop;
    v_open := v_more;
    v_caps := v_more_caps;
  end loop;
  return v_all;
end
$$;

-- claim_apart: claim_from whose error ends nothing else. Only after a claim has failed: each is a
-- subtransaction with an id of its own.
-- Params:  as claim_from.
-- Returns: as claim_from; none when it failed.
create or replace function sluice.claim_apart(
  p_model int, p_worker bigint, p_max int, p_now timestamptz, p_last smallint, p_more int)
returns sluice.lease[]
language plpgsql volatile
as $$
begin
  return sluice.claim_from(p_model, p_worker, p_max, p_now, p_last, p_more);
exception when others then
  return '{}';
end
$$;

-- claim_urgent: gives a worker whose slots are all taken tasks of a priority above 0, so that they
-- need not wait for a call to end. Committed synchronously.
-- Params:  worker: its id; models: names (null: all it serves); max_tasks: at most this many, at
--          most 1,000.
-- Returns: as claim.
-- Errors:  as claim.
--
-- Called by workers every 25 ms while they have no slot for other tasks, or while more tasks wait
-- for some model than they call at once.
-- Locks:   as claim.
create or replace function sluice.claim_urgent(
  worker bigint, models text[] default null, max_tasks int default 1,
  p_now timestamptz default null)
returns setof sluice.leased_task
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_leases sluice.lease[] := sluice.claim_shares(claim_urgent.worker, claim_urgent.models, null,
    claim_urgent.max_tasks, p_now, (-1)::smallint);
  v_bounds bigint[] := sluice.answer_bounds(v_leases);
begin
  return query select * from sluice.leased_tasks(v_leases[:v_bounds[3]], v_bounds);
  if v_bounds[3] < cardinality(v_leases) then
    return query select * from sluice.leased_without_bodies(v_leases[v_bounds[3] + 1:]);
  end if;
end
$$;
