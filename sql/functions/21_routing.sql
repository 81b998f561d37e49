-- Routing: which model of its route a waiting task goes to. Decided at admission, under the weights of that moment.
--
-- A task draws once: a number from its id and fence (a retry draws anew). The route's open models stand in a row, each as
-- wide as its weight, and the number says where the task belongs. So the shares are the weights', exactly, in whatever
-- order and however often tasks are looked at; and a change of the weights acts on everything that still waits.
-- Penalty for depth: a model is as wide as weight * openness, where openness is
--   0  paused, closed, broken; or its queue is full and it is limited (is_limited): others have its share meanwhile
--   1  otherwise. Full and not limited: the round of this route ends when a task draws it. Its queue moves and has room in
--      a moment; to give its share away meanwhile would make shares of speeds instead of weights.

-- models_look_max: models whose rooms one round looks at (a depth costs 0.3 ms); then it deals among those it knows.
create or replace function sluice.models_look_max() returns int
language sql immutable parallel safe
as $$ select 32 $$;

-- draw: a number in [0, 1), the same each time for the same p_id and p_salt.
-- Hashed twice: once leaves ids in a row uneven (27.3 % of 10,000 below 0.3, seen; two points are promised).
create or replace function sluice.draw(p_id bigint, p_salt int) returns double precision
language sql immutable parallel safe
as $$ select (hashint8extended(hashint8extended(p_id, p_salt), p_salt) & 9007199254740991) / 9007199254740992.0::double precision $$;

-- route_share: the open models of a route and the widths at which they stand.
-- Params:  p_api: only models that speak it (null: all); p_without: not these; p_only: only these (null: all); p_now.
create or replace function sluice.route_share(p_route text, p_api text, p_without int[], p_only int[], p_now timestamptz)
returns sluice.route_share
language plpgsql volatile
as $$
begin
  return (
    select row(p_route, p_api, array_agg(w.id order by w.id), array_agg(w.upto order by w.id))::sluice.route_share
    from (
      select m.id, sum(r.weight::double precision) over (order by m.id) as upto
      from sluice.routes r join sluice.models m on m.name = r.model
      where r.route = p_route and r.weight > 0 and sluice.is_open(m, p_now) and coalesce(m.api = p_api, true)
        and m.id <> all (coalesce(p_without, '{}')) and coalesce(m.id = any (p_only), true)) w);
end
$$;

-- drawn_model: the model of p_share that a task draws; null: it has none.
create or replace function sluice.drawn_model(p_share sluice.route_share, p_task bigint, p_fence int) returns int
language sql immutable
as $$
  select p_share.ids[least(cardinality(p_share.ids),
    1 + width_bucket(sluice.draw(p_task, p_fence) * p_share.upto[cardinality(p_share.ids)], p_share.upto))]
$$;

-- queue_room: what a round knows of the queue of p_model. A model whose admit lock somebody else has takes nothing now.
create or replace function sluice.queue_room(p_model int, p_now timestamptz) returns sluice.queue_room
language plpgsql volatile
as $$
declare
  v_model sluice.models;
  v_target int;
begin
  if not pg_try_advisory_xact_lock(sluice.lock_class('admit'), p_model) then
    return row(p_model, 0, false);
  end if;
  select * into v_model from sluice.models where id = p_model;
  v_target := sluice.queue_target(v_model, p_now);
  return row(p_model, v_target - sluice.depth(p_model, v_target), sluice.is_limited(v_model, p_now));
end
$$;

-- seats: the model for each of p_tasks, in their order; null: it goes on waiting.
-- Params:  p_rooms: the queue being filled, first; those that are drawn are added, and all are counted down.
create or replace function sluice.seats(
  inout p_rooms sluice.queue_room[], p_tasks sluice.waiting_task[], p_now timestamptz, out seats int[])
language plpgsql volatile
as $$
declare
  v_known int[] := array[p_rooms[1].model];
  v_stopped text[] := '{}';
  v_keys text[] := '{}';
  v_shares sluice.route_share[] := '{}';
  v_share sluice.route_share;
  v_task sluice.waiting_task;
  v_key int;
  v_at int;
begin
  foreach v_task in array p_tasks loop
    v_at := null;
    if v_task.line like 'backlog\_%' then
      v_at := 1;
    elsif v_task.line <> all (v_stopped) and v_task.line || coalesce(' ' || v_task.api, '') <> all (v_stopped) then
      v_key := array_position(v_keys, v_task.line || coalesce(' ' || v_task.api, ''));
      if v_key is null then
        v_keys := v_keys || (v_task.line || coalesce(' ' || v_task.api, ''));
        v_key := cardinality(v_keys);
        v_shares[v_key] := sluice.route_share(substr(v_task.line, 7), v_task.api, null, null, p_now);
      end if;
      v_share := v_shares[v_key];
      while v_share.ids is not null loop
        v_at := array_position(v_known, sluice.drawn_model(v_share, v_task.task_id, v_task.fence));
        if v_at is null and cardinality(v_known) < sluice.models_look_max() then
          v_known := v_known || sluice.drawn_model(v_share, v_task.task_id, v_task.fence);
          v_at := cardinality(v_known);
          p_rooms := p_rooms || sluice.queue_room(v_known[v_at], p_now);
        end if;
        exit when v_at is not null and (p_rooms[v_at].room > 0 or not p_rooms[v_at].limited);
        v_share := sluice.route_share(v_share.route, v_share.api,
          array(select r.model from unnest(p_rooms) r where r.room <= 0 and r.limited),
          case when cardinality(v_known) >= sluice.models_look_max() then v_known end, p_now);
        v_shares[v_key] := v_share;
        v_at := null;
      end loop;
    end if;
    if v_at is null or p_rooms[v_at].room <= 0 then
      -- What no open model can take stops its like only.
      v_stopped := v_stopped || (v_task.line || case when v_at is null then coalesce(' ' || v_task.api, '') else '' end);
      seats := seats || null::int;
    else
      p_rooms[v_at].room := p_rooms[v_at].room - 1;
      seats := seats || p_rooms[v_at].model;
    end if;
  end loop;
end
$$;

-- admissible_at: when a round of admission for p_model will find a task to move: p_now; later: when one of the tenants that
-- wait there has a permit; null: nothing waits that p_model could take. Of a route the first task decides: if it draws a
-- full queue that moves, whoever empties that one deals, and rings. Requires no lock.
create or replace function sluice.admissible_at(p_model sluice.models, p_now timestamptz) returns timestamptz
language plpgsql volatile
as $$
declare
  v_turn record := sluice.first_turn('backlog_' || p_model.id, p_now);
  v_at timestamptz := v_turn.ready_at;
  v_route text;
  v_drawn sluice.models;
begin
  for v_route in select r.route from sluice.routes r where r.model = p_model.name and r.weight > 0 loop
    exit when v_at <= p_now;
    v_turn := sluice.first_turn('route_' || v_route, p_now);
    if v_turn.task_id is null then
      v_at := least(v_at, v_turn.ready_at);
      continue;
    end if;
    select * into v_drawn from sluice.models m where m.id = sluice.drawn_model(
      sluice.route_share(v_route, (select t.api from sluice.task t where t.id = v_turn.task_id), null, null, p_now),
      v_turn.task_id, v_turn.fence);
    continue when v_drawn.id is null;
    if v_drawn.id = p_model.id or sluice.is_limited(v_drawn, p_now)
       or sluice.depth(v_drawn.id, sluice.queue_target(v_drawn, p_now)) < sluice.queue_target(v_drawn, p_now) then
      v_at := p_now;
    end if;
  end loop;
  return v_at;
end
$$;

-- reroutable: where the route tasks in the queue of p_model had better go, because it is closed for longer than 2 s (a
-- shorter closure is over before the task would start elsewhere): its routes with another open model, and what those speak.
create or replace function sluice.reroutable(p_model sluice.models, p_now timestamptz)
returns table (route text, api text)
language plpgsql volatile
as $$
#variable_conflict use_column
begin
  if sluice.is_open(p_model, p_now + interval '2 s') then
    return;
  end if;
  return query
    select distinct r.route, m.api
    from sluice.routes mine join sluice.routes r on r.route = mine.route and r.weight > 0
    join sluice.models m on m.name = r.model
    where mine.model = p_model.name and sluice.is_open(m, p_now);
end
$$;

-- reroute: sends the route tasks in the queue of a closed model back to their routes, at the places where they began to
-- wait. Tasks that name the model stay. Called by tend (24_ageing.sql).
-- Locks:   tries the model's and the routes'; what is busy is left for the next time.
-- Returns: how many; at most 1,000 a call, of the first 10,000 rows of the queue.
create or replace function sluice.reroute(p_model int, p_now timestamptz) returns int
language plpgsql volatile
as $$
declare
  v_model sluice.models;
  v_routes text[];
  v_apis text[];
  v_back sluice.backlog[];
begin
  select * into v_model from sluice.models where id = p_model;
  select array_agg(r.route), array_agg(r.api) into v_routes, v_apis
  from sluice.reroutable(v_model, p_now) r where sluice.try_line('route_' || r.route);
  if v_routes is null or not pg_try_advisory_xact_lock(sluice.lock_class('model'), p_model) then
    return 0;
  end if;
  execute format($sql$
    with head as materialized (
      select q.task_id from sluice.segments(%1$L) s
      cross join lateral (
        select q.task_id from sluice.%1$I q
        where (q.rank, q.ready_at) >= (s.lo_rank, s.lo_ready) and q.rank <= s.hi_rank
        order by q.rank, q.ready_at, q.task_id limit 10000) q
      limit 10000),
    theirs as materialized (
      select t.id, t.route, t.tenant, -t.priority as rank, sluice.waits_since(t) as ready_at
      from head h join sluice.task t on t.id = h.task_id
      where exists (select from unnest($1, $2) r(route, api)
                    where r.route = t.route and coalesce(r.api = t.api, true)) limit 1000),
    free as materialized (
      select q.task_id from theirs t join sluice.%1$I q on q.task_id = t.id for update of q skip locked),
    gone as (
      delete from sluice.%1$I q using free f where q.task_id = f.task_id returning q.*),
    back as (
      insert into sluice.backlog (task_id, ready_at, deadline, model, request_bytes, fence, rank, attempts, due, route,
        tenant)
      select g.task_id, t.ready_at, g.deadline, null, g.request_bytes, g.fence, t.rank, g.attempts, true, t.route, t.tenant
      from gone g join theirs t on t.id = g.task_id returning backlog as row)
    select array_agg(b.row) from back b
    $sql$, 'queue_' || p_model)
  into v_back using v_routes, v_apis;
  perform sluice.note_put_back(v_back);
  return coalesce(cardinality(v_back), 0);
end
$$;
