-- Claims for workers: tasks to call, urgent tasks, and the bodies that did not fit into the answer.

-- claim: gives a worker tasks to call. One claim a transaction, committed synchronously. Call the
-- backend only after the commit, and within send_within_ms of sending the claim; later the permit
-- is forfeited: complete the task as returned. A worker that needs longer says so by the setting
-- sluice.send_within_ms, 5,000 at most, in the claim's session; the quota pays for it.
-- Params:  worker: its id; models: names (null: all it serves); max_tasks: at most this many, at
--          most 1,000.
-- Returns: the tasks, with their bodies while the whole answer stays below 64 KiB. For the others
--          api is null: call sluice.requests.
-- Errors:  SL010 unknown or dead worker: register again.
--
-- For workers in other languages; ours call claim_within. After an asynchronous commit and a crash
-- the same fence was issued twice, measured. The answer is sent before the commit, so a worker
-- frozen while it reads a larger one would hold the models' locks for the whole fleet, measured.
-- Shares:  Slots are shared fairly among the models; what one cannot use goes to the others in a
--          second round.
-- Locks:   tries each model's lock (busy: another worker is taking there now, go on); never waits.
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
-- claim again; with a p_now it does not end early.
-- Params:  p_shares: null: no model has a limit of its own; p_last: the worst rank to take.
create or replace function sluice.claim_shares(
  p_worker bigint, p_models text[], p_shares int[], p_max int, p_now timestamptz,
  p_last smallint default sluice.rank_max())
returns sluice.lease[]
language plpgsql volatile
as $$
declare
  v_started timestamptz := clock_timestamp();
  v_open int[] := sluice.open_models(p_worker, p_models, p_now);
  v_first int;
  v_left int;
  v_caps int[];
  v_cap int;
  v_taken sluice.lease[];
  v_all sluice.lease[];
  v_more int[];
  v_more_caps int[];
  v_until timestamptz;
begin
  if cardinality(v_open) = 1 then  -- mostly: nobody shares
    return sluice.claim_from(v_open[1], p_worker, least(p_max, 1000, case when p_shares is not null
      then (sluice.caps_of(v_open, p_models, p_shares))[1] end), p_now, p_last);
  elsif v_open = '{}' then
    return '{}';
  end if;
  v_until := clock_timestamp() + sluice.claim_long(clock_timestamp() - v_started);
  v_left := least(p_max, 1000);
  select d.ids, d.first into v_open, v_first from sluice.claim_order(v_open, v_left) d;
  v_caps := sluice.caps_of(v_open, p_models, p_shares);
  if p_last = sluice.rank_max() then
    perform sluice.note_asks(case when 0 < all (v_caps) then v_open else array(select o.id
        from unnest(v_open, v_caps) o(id, cap) where o.cap > 0) end,
      coalesce(p_now, clock_timestamp()), p_worker);
  end if;
  v_all := '{}';
  v_more := '{}';
  v_more_caps := '{}';
  for v_round in 1 .. 2 loop
    for i in 1 .. cardinality(v_open) loop
      exit when v_left <= 0;
      if p_now is null and v_all <> '{}' and clock_timestamp() > v_until then
        perform sluice.notify('sluice_work', '0');
        return v_all;
      end if;
      continue when v_caps[i] <= 0;
      v_cap := least(v_caps[i], case v_round
        when 1 then (v_left - 1) / greatest(1, v_first - i + 1) + 1 else v_left end);
      v_taken := sluice.claim_from(v_open[i], p_worker, v_cap, p_now, p_last,
        least(v_left, v_caps[i]) - v_cap);
      v_all := v_all || v_taken;
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

-- leased_tasks: leases as workers receive them, with their bodies. priority is the task's
-- own, without ageing: a long wait does not make a task urgent. queued_ms, for a task with a
-- traceparent, is the time from when it could first have been taken (its submit, run_at, or the
-- time of its retry) to this claim.
-- Params:  p_bounds: answer_bounds.
-- twin: leased_tasks
-- It is stable and called in FROM, so that it is inlined into its caller's statement. The limit
-- pins the look-up by key, whatever the planner knows of the tasks (for a table that was never
-- analyzed it read, for each lease, all tasks between the smallest and the greatest id). The
-- comparison is one of rows, because with t.id = l.task_id PostgreSQL chooses among the partitions
-- anew for each lease: 4,000 of 15,000 instructions.
create or replace function sluice.leased_tasks(p_leases sluice.lease[], p_bounds bigint[])
returns setof sluice.leased_task
language sql stable
as $$
  select l.task_id, l.fence, l.attempts + 1, m.name,
    case when m.rpm is not null or l.reserved_tokens > 0
           or exists (select from sluice.tenants n where n.rpm is not null)
             and exists (select from sluice.tenants n where n.name = l.tenant and n.rpm is not null)
      then sluice.send_within_ms() end,
    case when t.id is not null then m.api end, t.prompt, t.request,
      case when t.id is not null then coalesce(t.max_output_tokens, m.max_output_tokens) end,
      t.traceparent,
    case when t.id is not null then (date_part('epoch', m.timeout) * 1000)::int end,
    coalesce(t.priority, -l.rank)::int,
    case when t.traceparent is not null
      then (date_part('epoch', l.started_at - l.ready_at) * 1000)::bigint end,
    l.request_bytes, t.schema_version
  from unnest(p_leases) with ordinality l
  join sluice.models m on m.id = l.model
  left join lateral (
    select t.id, t.prompt, t.request, t.max_output_tokens, t.traceparent, t.priority,
      t.schema_version
    from sluice.task t
    where (t.id, 0) >= (l.task_id, 0) and (t.id, 0) <= (l.task_id, 0)
      and t.id between p_bounds[1] and p_bounds[2] limit 1) t on true
  order by l.ordinality
$$;

-- leased_without_bodies: leased_tasks for leases whose bodies did not fit into the answer. A look-up that
-- is made ready in vain costs as much as the rest of a row.
-- twin: leased_tasks
create or replace function sluice.leased_without_bodies(p_leases sluice.lease[])
returns setof sluice.leased_task
language sql stable
as $$
  select l.task_id, l.fence, l.attempts + 1, m.name,
    case when m.rpm is not null or l.reserved_tokens > 0
           or exists (select from sluice.tenants n where n.rpm is not null)
             and exists (select from sluice.tenants n where n.name = l.tenant and n.rpm is not null)
      then sluice.send_within_ms() end,
    null, null, null, null::int, null, null::int, -l.rank::int, null::bigint,
    l.request_bytes, null::text
  from unnest(p_leases) with ordinality l
  join sluice.models m on m.id = l.model
  order by l.ordinality
$$;

-- answer_bounds: the bounds of the answer to a claim: the smallest and the greatest id (partitions
-- outside are excluded once, at the start, instead of by each look-up: with 14 of them 2 us of 7),
-- and how many leases, in order, get their bodies: until the answer has p_bytes_max.
-- Rejected: sums by a statement over all leases: 2,000 instructions for each (D-407).
create or replace function sluice.answer_bounds(
  p_leases sluice.lease[], p_bytes_max bigint default 65536)
returns bigint[]
language plpgsql immutable
as $$
declare
  v_least bigint;
  v_greatest bigint;
  v_fit int := 0;
  v_bytes bigint := 0;
begin
  if cardinality(p_leases) = 1 then  -- a tenth of what the loop costs
    return array[p_leases[1].task_id, p_leases[1].task_id,
      (p_leases[1].request_bytes + 200 <= p_bytes_max)::int];
  end if;
  for i in 1 .. coalesce(cardinality(p_leases), 0) loop
    v_bytes := v_bytes + p_leases[i].request_bytes + 200;
    exit when v_bytes > p_bytes_max;
    v_least := least(v_least, p_leases[i].task_id);
    v_greatest := greatest(v_greatest, p_leases[i].task_id);
    v_fit := i;
  end loop;
  return array[v_least, v_greatest, v_fit];
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

-- requests: the bodies of a worker's claimed tasks: those that did not fit into the claim, or all
-- after a COMMIT whose answer was lost.
-- Params:  worker: its id; ids: task ids (null: all leases of this worker).
-- Returns: as claim; bodies in order of id until settings.claim_bytes_max is reached (always at
--          least one): call again for the rest. Only tasks that this worker holds now.
--
-- (After a COMMIT whose answer was lost our workers call held_leases.)
--
-- Both tables are scanned once for an array of ids, in ascending order, and a lease's columns are
-- found by its place: half of what a look-up of each costs (D-407).
-- twin: leased_tasks
create or replace function sluice.requests(worker bigint, ids bigint[] default null)
returns setof sluice.leased_task
language plpgsql stable security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_bitmapscan = off set jit = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_ids bigint[] := coalesce(requests.ids,
    array(select l.task_id from sluice.lease l where l.worker = requests.worker));
  v_fences int[];  -- beside the ids, as the other columns of the leases
  v_attempts smallint[];
  v_models int[];
  v_reserved bigint[];
  v_bytes int[];
  v_sum bigint;
  v_sum_max bigint := (select s.claim_bytes_max from sluice.settings s);
  v_fit int;       -- so many bodies fit into the answer
begin
  -- One by one by their key: by the index on worker each call walked all that the worker holds, 40
  -- us a task.
  select array_agg(l.task_id), array_agg(l.fence), array_agg(l.attempts), array_agg(l.model),
    array_agg(l.reserved_tokens), array_agg(l.request_bytes), sum(l.request_bytes + 200), count(*)
  into v_ids, v_fences, v_attempts, v_models, v_reserved, v_bytes, v_sum, v_fit
  from (select * from sluice.lease l
    where l.task_id = any (v_ids) and l.worker + 0 = requests.worker
    order by l.task_id offset 0) l;
  while v_sum > v_sum_max and v_fit > 1 loop
    v_sum := v_sum - v_bytes[v_fit] - 200;
    v_fit := v_fit - 1;
  end loop;
  return query
    select t.id, v_fences[l.n], v_attempts[l.n] + 1, m.name,
      case when m.rpm is not null or v_reserved[l.n] > 0
             or exists (select from sluice.tenants n where n.rpm is not null) and exists (
               select from sluice.tenants n where n.name = t.tenant and n.rpm is not null)
        then sluice.send_within_ms() end,
      m.api, t.prompt, t.request, coalesce(t.max_output_tokens, m.max_output_tokens),
      t.traceparent, (date_part('epoch', m.timeout) * 1000)::int, t.priority::int,
      case when t.traceparent is not null then (
        select (date_part('epoch', l.started_at - l.ready_at) * 1000)::bigint
        from sluice.lease l where l.task_id = t.id) end,
      v_bytes[l.n], t.schema_version
    from sluice.task t
    -- (select v_ids): else each call would copy the array
    cross join lateral (select width_bucket(t.id, (select v_ids)) as n offset 0) l
    join sluice.models m on m.id = v_models[l.n]
    where t.id = any (v_ids[:v_fit]) and t.id between v_ids[1] and v_ids[v_fit];
  if v_fit < cardinality(v_ids) then
    return query select * from sluice.leased_without_bodies(array(
      select l from sluice.lease l where l.task_id = any (v_ids[v_fit + 1:])
        and l.worker + 0 = requests.worker order by l.task_id));
  end if;
end
$$;
