-- claim: gives a worker tasks to call.
-- Stage:   30. Called by workers in every flush that has free slots; one claim a transaction, committed synchronously
--          (after an asynchronous one and a crash the same fence was issued twice, measured).
-- Params:  worker: its id; models: names (null: all it serves); max_tasks: at most this many, at most 1,000; p_now.
-- Returns: the tasks, with their bodies while the whole answer stays below 64 KiB (the answer is sent before the commit: a
--          worker frozen while reading a big one would hold the models' locks for the whole fleet, measured); for the
--          others api is null: ask sluice.requests.
-- Shares:  slots are shared fairly among the models; what one cannot use goes to the others in a second round.
-- Locks:   tries each model's lock (busy: another worker is taking there now, go on); never waits.
-- Errors:  SL010 unknown or dead worker: register again.
create or replace function sluice.claim(
  worker bigint, models text[] default null, max_tasks int default 1, p_now timestamptz default null)
returns setof sluice.claimed_task
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_leases sluice.lease[] := sluice.claim_shares(claim.worker, claim.models, null, claim.max_tasks, p_now);
  v_ids bigint[] := sluice.least_and_greatest(v_leases);
begin
  return query select * from sluice.claimed_tasks(v_leases, 65536, v_ids[1], v_ids[2]);
end
$$;

-- claim_within: claim, with the most that each model may give: a worker has a limit of its own for every model, and
-- keeps slots for those that need them.
-- Params:  worker; models: names; shares: for each of models, at most this many; max_tasks: of all together; p_now.
create or replace function sluice.claim_within(
  worker bigint, models text[], shares int[], max_tasks int, p_now timestamptz default null)
returns setof sluice.claimed_task
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_leases sluice.lease[] := sluice.claim_shares(claim_within.worker, claim_within.models, claim_within.shares,
    claim_within.max_tasks, p_now);
  v_ids bigint[] := sluice.least_and_greatest(v_leases);
begin
  return query select * from sluice.claimed_tasks(v_leases, 65536, v_ids[1], v_ids[2]);
end
$$;

-- claim_shares: the leases that a claim gives. Params: p_shares: null: no model has a limit of its own; p_last: no rank beyond.
create or replace function sluice.claim_shares(
  p_worker bigint, p_models text[], p_shares int[], p_max int, p_now timestamptz, p_last smallint default 100) returns sluice.lease[]
language plpgsql volatile
as $$
declare
  v_left int := least(p_max, 1000);
  v_open int[];
  v_first int;
  v_caps int[];
  v_hungry int[] := '{}';
  v_hungry_caps int[] := '{}';
  v_taken sluice.lease[];
  v_all sluice.lease[] := '{}';
  v_cap int;
begin
  v_open := sluice.open_models(p_worker, p_models, p_now);
  v_first := cardinality(v_open);
  if v_first > 1 then
    select d.ids, d.first into v_open, v_first from sluice.deal_order(v_open, v_left) d;
    perform sluice.note_asks(v_open, coalesce(p_now, clock_timestamp())) where p_last = 100;
  end if;
  v_caps := sluice.caps_of(v_open, p_models, p_shares);
  for v_round in 1 .. 2 loop
    for i in 1 .. cardinality(v_open) loop
      exit when v_left <= 0;
      v_cap := case v_round when 1 then (v_left - 1) / greatest(1, v_first - i + 1) + 1 else v_left end;
      continue when v_caps[i] <= 0;
      v_taken := sluice.claim_from(v_open[i], p_worker, least(v_cap, v_caps[i]), p_now, p_last);
      v_all := v_all || v_taken;
      if cardinality(v_taken) > 0 then
        v_hungry := v_hungry || v_open[i];
        v_hungry_caps := v_hungry_caps || v_caps[i] - cardinality(v_taken);
      end if;
      v_left := v_left - cardinality(v_taken);
    end loop;
    exit when cardinality(v_open) < 2;
    v_open := v_hungry;
    v_caps := v_hungry_caps;
  end loop;
  return v_all;
end
$$;

-- route_deal: tasks that a claim means each of those models to have that only a route feeds. A model costs it half a ms, a task a tenth:
-- with three tasks for each of fifty models 6,000 tasks took half as long again.
create or replace function sluice.route_deal() returns int
language sql immutable parallel safe
as $$ select 8 $$;

-- deal_order: p_ids in the order in which a claim of p_max asks them. Returns: first: so many of them share the slots; the others have what
-- those leave: of the models that only a route feeds so many are enough that each has route_deal tasks, for their meters share the route.
create or replace function sluice.deal_order(p_ids int[], p_max int, out ids int[], out first int)
language plpgsql volatile
as $$
begin
  select coalesce(array_agg(d.id order by d.is_first desc, d.place), '{}'), count(*) filter (where d.is_first)
  into ids, first
  from (select o.id, o.place,
          o.has_own or row_number() over (partition by o.has_own order by o.place) <= (p_max - 1) / sluice.route_deal() + 1 as is_first
        from (select id, place, exists (select from sluice.rung r where r.line = id) as has_own
              from unnest(p_ids) with ordinality i(id, place)) o) d;
end
$$;

-- caps_of: for each of p_ids what p_shares says about the model of that name; null, or not named: 1,000.
create or replace function sluice.caps_of(p_ids int[], p_models text[], p_shares int[]) returns int[]
language plpgsql volatile
as $$
begin
  if p_shares is null then
    return array_fill(1000, array[cardinality(p_ids)]);
  end if;
  return array(
    select coalesce(p_shares[array_position(p_models, m.name)], 1000)
    from unnest(p_ids) with ordinality o(id, place) join sluice.models m on m.id = o.id order by o.place);
end
$$;

-- models_look_max: of the models that only a route's line may feed a claim asks so many of each route, drawn at random from those that can
-- call: each costs it a fifth of a ms.
create or replace function sluice.models_look_max() returns int
language sql immutable parallel safe
as $$ select 32 $$;

-- open_models: the ids of the models that may have work and that a worker may claim from now, in an order that changes from
-- call to call, so that with fewer slots than models each has its turn. Errors: SL010.
create or replace function sluice.open_models(p_worker bigint, p_models text[], p_now timestamptz) returns int[]
language plpgsql volatile
as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
  v record;
  v_fed int[];
begin
  select w.models, w.apis, exists (select from sluice.rung r where r.line < 0) as feeds,
    not exists (select from sluice.breaker b where b.state <> 'closed') as is_calm
  into v from sluice.worker w where w.id = p_worker and w.dead_at is null;
  if not found then
    raise exception 'worker % is not registered, or was declared dead', p_worker using errcode = 'SL010',
      hint = 'Register again with sluice.register_worker; what it held has gone back to the queues.';
  end if;
  if v.feeds then
    v_fed := sluice.restless(
      array(select s.id from sluice.models s
            where (v.models is null or s.name = any (v.models)) and (v.apis is null or s.api = any (v.apis))
              and (p_models is null or s.name = any (p_models))), sluice.models_look_max(), v_now);
  end if;
  return array(
    select s.id
    from (  -- what is cheap to ask first: offset 0 keeps is_open, 6 us a model, from being asked for all of them
      select m as model, m.id from sluice.models m
      where case when v.feeds then m.id = any (v_fed) else m.id in (select r.line from sluice.rung r) end
        and (v.models is null or m.name = any (v.models)) and (v.apis is null or m.api = any (v.apis))
        and (p_models is null or m.name = any (p_models))
        and not m.paused and coalesce(m.closed_until <= v_now, true) offset 0) s
    where v.is_calm or sluice.is_open(s.model, v_now)
    order by random());
end
$$;

-- claimed_tasks: leases in the form that workers receive; bodies in order until p_bytes_max is reached. priority is the
-- task's own, not what ageing made of it: waiting long does not make a cold task hot. queued_ms, of a task with a
-- traceparent: from the moment it could have been taken (its submit, run_at, or the time of its retry) to this claim.
-- Params:  p_first, p_last: their least and greatest id: partitions beyond are left out once, at the start, where each look-up would pass
--          over all of them (with 14 of them 2 us of 7).
-- Stable, and to be called in from: then it becomes a part of its caller's statement.
create or replace function sluice.claimed_tasks(p_leases sluice.lease[], p_bytes_max bigint, p_first bigint, p_last bigint)
returns setof sluice.claimed_task
language sql stable
as $$
  select l.task_id, l.fence, l.attempts + 1, m.name,
    case when m.rpm is not null or l.reserved_tokens > 0
           or exists (select from sluice.tenants n where n.rpm is not null)
             and exists (select from sluice.tenants n where n.name = l.tenant and n.rpm is not null)
      then sluice.send_within_ms() end,
    case when t.id is not null then m.api end, t.prompt, t.request, t.max_output_tokens, t.traceparent,
    case when t.id is not null then (date_part('epoch', m.timeout) * 1000)::int end,
    coalesce(t.priority, -l.rank)::int,
    case when t.traceparent is not null then (date_part('epoch', l.started_at - l.ready_at) * 1000)::bigint end
  from (
    select l.*, sum(l.request_bytes + 200) over (order by l.ordinality) <= p_bytes_max as fits
    from unnest(p_leases) with ordinality l) l
  join sluice.models m on m.id = l.model
  left join sluice.task t on t.id = case when l.fits then l.task_id end and t.id between p_first and p_last
  order by l.ordinality
$$;

-- least_and_greatest: the ids between which the tasks of leases are; nulls: there are none.
create or replace function sluice.least_and_greatest(p_leases sluice.lease[]) returns bigint[]
language plpgsql immutable
as $$
begin
  return case when cardinality(p_leases) < 2 then array[p_leases[1].task_id, p_leases[1].task_id]
    else (select array[min(l.task_id), max(l.task_id)] from unnest(p_leases) l) end;
end
$$;
