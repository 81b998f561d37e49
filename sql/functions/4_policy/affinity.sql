-- Affinity: tasks of a route that have the same affinity key go to the same model, their key's
-- home, because a model answers faster what begins as calls before it did (prefix caches).
-- Homes are found by rendezvous hashing (Thaler, Ravishankar 1998): for each key each model of the
-- route draws a number, by a hash of both and its weight, and the smallest wins. Nothing is
-- remembered. A model that cannot be called leaves each of its keys to the next one, and has them
-- back when it can; no other key moves. Over many keys the models have them by their weights.
-- A task with a key waits in the line of its route and its home (2_storage/lines.sql). The home
-- takes from it without a meter, for the hash has kept the weights. Other models take from it when
-- the home cannot be called, so no task moves, or while they have nothing else and its tasks have
-- waited for settings.prefix_wait.

-- is_able: whether a model may be called now or within settings.prefix_wait: it is not paused,
-- closed, broken or without a permit for longer, and a live worker serves it. One whose calls are
-- all under way is able.
create or replace function sluice.is_able(p_model sluice.models, p_now timestamptz) returns boolean
language plpgsql volatile
as $$
begin
  return not p_model.paused
    and coalesce(greatest(p_model.closed_until, sluice.permit_at(p_model, p_now),
      sluice.probe_at(p_model, p_now))
        <= p_now + (select s.prefix_wait from sluice.settings s), true)
    and exists (select from sluice.worker w, sluice.settings s
      where w.dead_at is null and w.seen >= p_now - s.heartbeat_timeout
        and sluice.serves(w, p_model));
end
$$;

-- homes_of: the models of p_route that may be homes: those that are able, or all if none is.
-- Params:  p_api: of verbatim requests; null: of prompts.
-- Returns: ids, and beside each its weight; null: the route has no model with a weight.
create or replace function sluice.homes_of(
  p_route text, p_api text, p_now timestamptz, out ids int[], out weights double precision[])
language plpgsql volatile
as $$
begin
  with member as materialized (
    select m.id, r.weight, sluice.is_able(m, p_now) as able
    from sluice.routes r join sluice.models m on m.name = r.model
    where r.route = p_route and r.weight > 0 and coalesce(m.api = p_api, true))
  select array_agg(m.id order by m.id), array_agg(m.weight order by m.id) into ids, weights
  from member m where m.able or not exists (select from member where able);
end
$$;

-- home_of: which of the models p_ids is the home of a key; null: there is none.
-- Params:  p_weights: theirs.
create or replace function sluice.home_of(
  p_key text, p_ids int[], p_weights double precision[])
returns int
language plpgsql immutable
as $$
begin
  return (select m.id from unnest(p_ids, p_weights) m(id, weight)
    order by -ln(((hashtextextended(p_key, m.id) & 9007199254740991) + 0.5::double precision)
      / 9007199254740992) / m.weight, m.id limit 1);
end
$$;

-- leaves_home: whether other models of its route may take the tasks of a home's line: the home has
-- left the route, speaks another api or is not able, or its first tasks have waited for long while
-- others are idle.
-- Params:  p_home: a model, perhaps deleted; p_idle: who asks has nothing else.
create or replace function sluice.leaves_home(
  p_line int, p_home int, p_idle boolean, p_now timestamptz)
returns boolean
language plpgsql volatile
as $$
begin
  return not coalesce((
      select sluice.is_able(m, p_now) from sluice.route_line l
      join sluice.routes r on r.route = l.route and r.weight > 0
      join sluice.models m on m.name = r.model and m.id = p_home
        and (l.api is null or l.api = m.api)
      where l.n = -p_line), false)
    or p_idle and coalesce((
      select min(h.ready_at)
      from unnest(sluice.lane_heads(p_line, sluice.window_max(), p_now => p_now)) h)
        <= p_now - (select s.prefix_wait from sluice.settings s), false);
end
$$;
