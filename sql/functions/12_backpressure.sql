-- Backpressure: nothing accepted is ever dropped, so what is too much is refused at the door, with a hint how long to
-- wait.
--
-- Three bounds on unfinished tasks (those that wait or are under way): a model's max_unfinished, a tenant's, and
-- settings.max_unfinished for the whole system. Nothing is counted on the way of a task: a gauge, an unlogged sequence
-- load_<model id>, load_all (the system) or load_tenant_<md5 of a capped tenant's name>, goes up with every task that
-- is submitted and never down, so that it is an upper bound. Only when it says "full" the tasks are counted, and the
-- gauge is set to what there is. That mends by itself whatever else moved it: tasks that ended, submits that were
-- rolled back or refused, a crash. Retries, reroutes and redrives are never refused; a gauge hears of them at the next
-- count. Exact but for what is being submitted in other open transactions at the moment of a count.
-- Rejected: accepted less ended in two sequences (every move of every function has to count, and a rolled-back one
-- counts wrong until somebody looks); a counter in a row (hot; it serializes all submits of a model).
-- A fourth bounds what waits in one line: a model's max_queue; a route's is the sum of its models'. Its gauge, waits_<l>, is drawn from
-- only where there is such a bound.

-- gauge_unknown: from here on a gauge holds a time, in microseconds since the epoch: until then it is full and nobody
-- counts again. A time in the past: count. No number of tasks gets here; as a time it was in 2001.
create or replace function sluice.gauge_unknown() returns bigint
language sql immutable parallel safe
as $$ select 1000000000000000 $$;

-- make_gauge: a new gauge, whose value is unknown.
create or replace function sluice.make_gauge(p_name text) returns void
language plpgsql volatile
as $$
begin
  execute format('create unlogged sequence sluice.%I minvalue 0 start %s', p_name, sluice.gauge_unknown());
end
$$;

-- gauge: the gauge of tenant p_tenant, or else of model p_model (0: the system).
create or replace function sluice.gauge(p_model int, p_tenant text) returns regclass
language plpgsql stable
as $$
begin
  return 'sluice.load_' || coalesce('tenant_' || md5(p_tenant), nullif(p_model, 0)::text, 'all');
end
$$;

-- overflow_share: from this share of max_unfinished on a model takes no new task. The rest is for what is under way.
create or replace function sluice.overflow_share() returns double precision
language sql immutable parallel safe
as $$ select 0.95::double precision $$;

-- critical_share: from this share of max_unfinished on clients of the HTTP front are refused. The rest is for who is inside: SQL, batches.
create or replace function sluice.critical_share() returns double precision
language sql immutable parallel safe
as $$ select 0.85::double precision $$;

-- pressure: how close p_unfinished tasks are to p_max: normal, warning, critical or overflow. Decided here alone.
create or replace function sluice.pressure(p_unfinished bigint, p_max bigint) returns text
language sql immutable parallel safe
as $$
  select case
    when p_unfinished >= sluice.overflow_share() * p_max then 'overflow'
    when p_unfinished >= sluice.critical_share() * p_max then 'critical'
    when p_unfinished >= 0.70 * p_max then 'warning'
    else 'normal' end
$$;

-- headroom: how many more tasks may come where p_unfinished of p_max are, which refuses from the share p_full on.
create or replace function sluice.headroom(p_unfinished bigint, p_max bigint, p_full double precision) returns bigint
language sql immutable parallel safe
as $$ select case when p_unfinished >= p_full * p_max then 0 else p_max - p_unfinished end $$;

-- waiting_by_name: the tasks that wait and named model p_model. Under the pinned plan of the caller, as the next three.
create or replace function sluice.waiting_by_name(p_model int) returns bigint
language plpgsql volatile
as $$
begin
  return sluice.depth(p_model) + (select count(*) from sluice.later where model = p_model);
end
$$;

-- waiting_in_route: the tasks that wait and named route p_route.
create or replace function sluice.waiting_in_route(p_route text) returns bigint
language plpgsql volatile
as $$
begin
  return (select coalesce(sum(sluice.depth(l)), 0) from unnest(sluice.lines_of_route(p_route)) l)
    + (select count(*) from sluice.later where route = p_route);
end
$$;

-- own_unfinished: the unfinished tasks of model p_model, without its share of what waits in routes.
create or replace function sluice.own_unfinished(p_model int) returns bigint
language plpgsql volatile
as $$
begin
  return sluice.waiting_by_name(p_model) + (select count(*) from sluice.lease where model = p_model);
end
$$;

-- routed_tasks: how much of what waits in its routes counts for each of the models p_models. Each task counts once: they
-- are shared out by weight among the models of the route that are not full by themselves (or among all, if all are),
-- rounded so that the shares add up.
create or replace function sluice.routed_tasks(p_models int[]) returns table (model int, tasks bigint)
language plpgsql volatile
as $$
#variable_conflict use_column
begin
  return query
  with line as materialized (
    select o.route, sluice.waiting_in_route(o.route) as tasks
    from sluice.models m join sluice.routes o on o.model = m.name
    where m.id = any (p_models) and o.weight > 0 group by o.route),
  part as materialized (
    select l.route, l.tasks, m.id, r.weight::numeric,
      m.max_unfinished is null or l.tasks = 0
        or sluice.own_unfinished(m.id) < sluice.overflow_share() * m.max_unfinished as room
    from line l join sluice.routes r using (route) join sluice.models m on m.name = r.model where r.weight > 0),
  counted as materialized (
    select p.route, p.tasks, p.id,
      case when p.room or not bool_or(p.room) over (partition by p.route) then p.weight else 0 end as weight
    from part p),
  share as (
    select c.id, round(c.tasks * sum(c.weight) over upto / sum(c.weight) over whole)
               - round(c.tasks * (sum(c.weight) over upto - c.weight) / sum(c.weight) over whole) as tasks
    from counted c
    window whole as (partition by c.route), upto as (partition by c.route order by c.id))
  select i.id, coalesce(sum(s.tasks), 0)::bigint
  from unnest(p_models) i(id) left join share s on s.id = i.id group by i.id;
end
$$;

-- count_unfinished: the unfinished tasks of tenant p_tenant, or else of model p_model (0: of the whole system), counted
-- one by one: only when a gauge says "full".
create or replace function sluice.count_unfinished(p_model int, p_tenant text) returns bigint
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
begin
  if p_tenant is not null then
    return (select count(*) from sluice.later where tenant = p_tenant)
      + (select count(*) from sluice.queue where tenant = p_tenant)
      + (select count(*) from sluice.lease where tenant = p_tenant);
  elsif p_model = 0 then
    return (select count(*) from sluice.later) + (select count(*) from sluice.queue)
      + (select count(*) from sluice.lease);
  end if;
  return sluice.own_unfinished(p_model) + (select tasks from sluice.routed_tasks(array[p_model]));
end
$$;

-- take_headroom: takes room for new tasks below p_max. All of it is taken here.
-- Params:  p_line: what waits there; or else p_tenant, or else p_model (0: the system); p_wanted: tasks; p_max; p_full: the share of
--          p_max that is full; p_least: room for fewer is of no use to the caller and not taken.
-- Returns: for how many there is room, at most p_wanted.
-- Many are held against the gauge before they draw: refused, they must not stand in the way of who wants less.
create or replace function sluice.take_headroom(
  p_model int, p_tenant text, p_wanted int, p_max bigint, p_full double precision, p_least int default 1,
  p_line int default null) returns int
language plpgsql volatile
as $$
declare
  v_gauge regclass := coalesce(('sluice.waits_' || sluice.line_name(p_line))::regclass, sluice.gauge(p_model, p_tenant));
  v_load bigint;
begin
  if p_wanted = 1 then
    v_load := nextval(v_gauge) - 1;
  elsif sluice.headroom(pg_sequence_last_value(v_gauge), p_max, p_full) >= p_wanted then
    v_load := (select max(nextval(v_gauge)) - p_wanted from generate_series(1, p_wanted));
  end if;
  if sluice.headroom(v_load, p_max, p_full) >= p_wanted then
    return p_wanted;
  end if;
  return sluice.recount_headroom(v_gauge, p_model, p_tenant, p_wanted, p_max, p_full, p_line, p_least);
end
$$;

-- recount_headroom: the same with a gauge set by counting. One counts at a time, or who counted earlier could set it
-- after one who counted later (seen: 155 tasks under a bound of 100). The lock is the session's, not the transaction's, which
-- may stay open for long; it is given back also when the count is cancelled.
-- Params:  also p_gauge; p_line: it measures what waits in this line.
create or replace function sluice.recount_headroom(
  p_gauge regclass, p_model int, p_tenant text, p_wanted int, p_max bigint, p_full double precision,
  p_line int default null, p_least int default 1) returns int
language plpgsql volatile
as $$
declare
  v_granted int;
begin
  perform pg_advisory_lock(sluice.lock_class('count'), p_gauge::oid::int);
  begin
    v_granted := sluice.count_headroom(p_gauge, p_model, p_tenant, p_wanted, p_max, p_full, p_line, p_least);
  exception when others or query_canceled then
    perform pg_advisory_unlock(sluice.lock_class('count'), p_gauge::oid::int);
    raise;
  end;
  perform pg_advisory_unlock(sluice.lock_class('count'), p_gauge::oid::int);
  return v_granted;
end
$$;

-- count_cheap_ms: a refused submit may cost a count of so long. One that took longer and found everything full is not repeated
-- for 20 times as long, a second or more: nobody can keep the database counting. (While there is room for some, who wants more
-- than that may: one count at a time.)
create or replace function sluice.count_cheap_ms() returns int
language sql immutable parallel safe
as $$ select 50 $$;

-- count_headroom: recount_headroom without its lock.
create or replace function sluice.count_headroom(
  p_gauge regclass, p_model int, p_tenant text, p_wanted int, p_max bigint, p_full double precision, p_line int,
  p_least int default 1) returns int
language plpgsql volatile
as $$
declare
  v_started timestamptz := clock_timestamp();
  v_before bigint := pg_sequence_last_value(p_gauge);
  v_took interval;
  v_load bigint;
  v_room bigint;
  v_granted int;
begin
  if v_before > sluice.micros(v_started) then
    return 0;
  end if;
  v_load := case when p_line is null then sluice.count_unfinished(p_model, p_tenant) else sluice.depth(p_line, p_max::int) end;
  -- What others took while this one counted is kept.
  v_load := v_load + greatest(0, pg_sequence_last_value(p_gauge) - v_before);
  v_room := sluice.headroom(v_load, p_max, p_full);
  v_granted := case when v_room >= p_least then least(p_wanted, v_room) else 0 end;
  v_took := clock_timestamp() - v_started;
  perform setval(p_gauge, case when v_room = 0 and v_took > sluice.count_cheap_ms() * interval '1 ms'
    then sluice.micros(clock_timestamp() + 20 * v_took) else v_load + v_granted end);
  return v_granted;
end
$$;

-- doubt_lines: lets the next submit into each line that model p_model feeds, or into those of p_route, count. For where no bound is,
-- nobody draws: after a change of max_queue, or of a route's models. Params: p_max: gauges below this; null: of all.
create or replace function sluice.doubt_lines(p_model text, p_route text default null, p_max bigint default null) returns void
language plpgsql volatile
as $$
begin
  perform setval(g.gauge, sluice.gauge_unknown())
  from (select m.id as line from sluice.models m where m.name = p_model
        union
        select -l.n from sluice.route_line l
        where l.route = p_route or l.route in (select r.route from sluice.routes r where r.model = p_model)) l
  cross join lateral (select ('sluice.waits_' || sluice.line_name(l.line))::regclass as gauge) g
  where coalesce(pg_sequence_last_value(g.gauge) < p_max, true);
end
$$;

-- doubt_gauges: lets the next submit of each model with a bound of its own count, for redrives, and what came by a
-- route, or was put back, did not ask. Called by tick.
create or replace function sluice.doubt_gauges() returns void
language plpgsql volatile
as $$
begin
  perform sluice.set_counter('load', m.id, sluice.gauge_unknown())
  from sluice.models m where m.max_unfinished is not null and sluice.counter('load', m.id) < sluice.gauge_unknown();
  perform sluice.doubt_lines(m.name, null, sluice.gauge_unknown()) from sluice.models m where m.max_queue is not null;
end
$$;

-- accept_for_system: SL003 unless, counted, one more task fits into the system, whose gauge says "full".
create or replace function sluice.accept_for_system() returns void
language plpgsql volatile
as $$
declare
  v_max bigint := (select max_unfinished from sluice.settings);
begin
  if sluice.recount_headroom('sluice.load_all', 0, null, 1, v_max, 1) = 0 then
    perform sluice.refuse_for_system(1, v_max);
  end if;
end
$$;

-- accept_for_model: takes room for one new task in a model whose gauge says "full". Errors: SL003.
create or replace function sluice.accept_for_model(p_model int, p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_max bigint := sluice.max_unfinished((select m from sluice.models m where m.id = p_model));
begin
  if sluice.recount_headroom(sluice.gauge(p_model, null), p_model, null, 1, v_max, sluice.overflow_share()) = 0 then
    perform sluice.refuse_for_model(p_model, 1, p_now);
  end if;
end
$$;

-- accept_for_line: takes room for one new task in a line whose gauge says that p_max wait there. Errors: SL003.
create or replace function sluice.accept_for_line(p_line int, p_max int, p_now timestamptz) returns void
language plpgsql volatile
as $$
begin
  if sluice.recount_headroom(('sluice.waits_' || sluice.line_name(p_line))::regclass, null, null, 1, p_max, 1, p_line) = 0 then
    perform sluice.refuse_for_line(p_line, 1, p_max, p_now);
  end if;
end
$$;

-- accept_for_route: takes room for p_tasks tasks of a route some of whose models have bounds of their own: in one model, drawn as a
-- count would share them out, and in others what that one has no room for.
-- Returns: how many may wait in its line; null: any number. Errors: SL003: a route refuses only when all its models are full.
create or replace function sluice.accept_for_route(p_route text, p_tasks int, p_now timestamptz) returns int
language plpgsql volatile
as $$
declare
  v_id int := sluice.aim(p_route);
  v_left int := p_tasks;
begin
  if v_id is not null then  -- else no model of the route has a weight: only the system bounds it
    v_left := v_left - sluice.take_headroom(v_id, null, p_tasks, sluice.max_unfinished((select m from sluice.models m where m.id = v_id)),
      sluice.overflow_share());
    if v_left > 0 then
      perform sluice.take_in_route(p_route, v_id, v_left, p_now);
    end if;
  end if;
  return (select case when bool_and(m.max_queue is not null) then least(sum(m.max_queue), 2147483647)::int end
          from sluice.routes r join sluice.models m on m.name = r.model where r.route = p_route and r.weight > 0);
end
$$;

-- aim: the model that a route's task counts for: drawn by weight, as a count shares them out; null: none has a weight.
create or replace function sluice.aim(p_route text) returns int
language plpgsql volatile
as $$
begin
  return (select m.id from sluice.routes r join sluice.models m on m.name = r.model
          where r.route = p_route and r.weight > 0 order by -ln(1 - random()) / r.weight limit 1);
end
$$;

-- accept_many: takes room for a whole submit_many, all or none: the system's, its tenants' that have caps, its models' and its lines'.
-- Params:  p_new: as for sluice.place(); p_now.
create or replace function sluice.accept_many(p_new sluice.new_task[], p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_max bigint := (select max_unfinished from sluice.settings);
  v_unlisted text[];
  v record;
begin
  if p_new is null then
    return;
  elsif sluice.take_headroom(0, null, cardinality(p_new), v_max, 1, cardinality(p_new)) = 0 then
    perform sluice.refuse_for_system(cardinality(p_new), v_max);
  end if;
  for v in select n.tenant, n.tasks, l.max_unfinished as max, l.is_full, l.is_listed
           from (select n.tenant, count(*)::int as tasks from unnest(p_new) n group by n.tenant) n
           cross join lateral sluice.limits_of(n.tenant) l
           where l.max_unfinished is not null or l.is_full or not l.is_listed order by n.tenant loop
    if v.is_full then
      perform sluice.refuse_full_tenant(v.tenant);
    elsif v.max is not null and sluice.take_headroom(null, v.tenant, v.tasks, v.max, 1, v.tasks) = 0 then
      perform sluice.refuse_for_tenant(v.tenant, v.tasks, v.max);
    elsif not v.is_listed then
      v_unlisted := v_unlisted || v.tenant;
    end if;
  end loop;
  if v_unlisted is not null then
    perform sluice.note_tenants(v_unlisted);
  end if;
  for v in select n.line, n.route, n.tasks, m.id, coalesce(m.max_unfinished, v_max) as max, m.max_queue
           from (select n.line, n.model, n.route, count(*)::int as tasks from unnest(p_new) n group by n.line, n.model, n.route) n
           left join sluice.models m on m.id = n.model order by n.line loop
    if v.id is not null and sluice.take_headroom(v.id, null, v.tasks, v.max, sluice.overflow_share(), v.tasks) = 0 then
      perform sluice.refuse_for_model(v.id, v.tasks, p_now);
    elsif v.route is not null and exists (select from sluice.models where max_unfinished is not null or max_queue is not null) then
      v.max_queue := sluice.accept_for_route(v.route, v.tasks, p_now);
    end if;
    if v.max_queue is not null and sluice.take_headroom(null, null, v.tasks, v.max_queue, 1, v.tasks, v.line) = 0 then
      perform sluice.refuse_for_line(v.line, v.tasks, v.max_queue, p_now);
    end if;
  end loop;
end
$$;

-- take_in_route: takes room in the models of route p_route, except p_model, open ones first.
-- They are counted: what waits in a route is shared out anew by every count, so that the count of the model that is
-- full may have moved some to them. Only while that one must not be counted again their gauges are believed.
-- Params:  p_model: the model that is full; p_tasks: how many; p_now.
-- Errors:  SL003: a route refuses only when all its models are full.
create or replace function sluice.take_in_route(p_route text, p_model int, p_tasks int, p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_share double precision := sluice.overflow_share();
  v_count boolean := sluice.may_count(p_model, null);
  v_left int := p_tasks;
  v record;
begin
  for v in select m.id, coalesce(m.max_unfinished, s.max_unfinished) as max
           from sluice.settings s, sluice.routes r join sluice.models m on m.name = r.model
           where r.route = p_route and r.weight > 0 and m.id <> p_model
           order by m.paused or coalesce(m.closed_until > p_now, false), r.weight desc, m.id loop
    exit when v_left = 0;
    v_left := v_left - case
      when v_count then sluice.recount_headroom(sluice.gauge(v.id, null), v.id, null, v_left, v.max, v_share)
      else sluice.take_headroom(v.id, null, v_left, v.max, v_share) end;
  end loop;
  if v_left > 0 then
    perform sluice.refuse_for_route(p_route, p_tasks, p_now);
  end if;
end
$$;

-- may_count: whether the tasks behind a gauge may be counted now: the last count did not take too long.
create or replace function sluice.may_count(p_model int, p_tenant text) returns boolean
language plpgsql volatile
as $$
begin
  return coalesce(pg_sequence_last_value(sluice.gauge(p_model, p_tenant)) <= sluice.micros(clock_timestamp()), true);
end
$$;

-- unfinished_for_message: how many tasks a refusal names. A count that the gauge forbids for now is not made for a
-- message: p_max then, for it is full.
create or replace function sluice.unfinished_for_message(p_model int, p_tenant text, p_max bigint) returns bigint
language plpgsql volatile
as $$
begin
  return case when sluice.may_count(p_model, p_tenant) then sluice.count_unfinished(p_model, p_tenant) else p_max end;
end
$$;

-- how_full: "95 of 100 unfinished".
create or replace function sluice.how_full(p_unfinished bigint, p_max bigint, p_tasks int) returns text
language sql immutable
as $$
  select p_unfinished || ' of ' || p_max || ' unfinished'
    || case when p_tasks > 1 then ', no room for ' || p_tasks || ' more' else '' end
$$;

-- too_many: the hint for p_tasks tasks at once that never fit below p_max; null: they may, later.
create or replace function sluice.too_many(p_tasks int, p_max bigint) returns text
language sql immutable
as $$ select case when p_tasks > p_max then format('It takes %s at most: submit fewer at a time.', p_max) end $$;

-- refuse_for_model: SL003 for p_tasks tasks that name model p_model.
create or replace function sluice.refuse_for_model(p_model int, p_tasks int, p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_model sluice.models := (select m from sluice.models m where m.id = p_model);
  v_max bigint := sluice.max_unfinished(v_model);
  v_unfinished bigint := sluice.unfinished_for_message(p_model, null, v_max);
begin
  raise exception 'model "%" is full: %', v_model.name, sluice.how_full(v_unfinished, v_max, p_tasks)
    using errcode = 'SL003', hint = sluice.when_to_retry(v_model, v_unfinished, p_tasks, p_now);
end
$$;

-- soonest_of: the model of a route that has room soonest.
create or replace function sluice.soonest_of(p_route text, p_now timestamptz) returns sluice.models
language plpgsql volatile
as $$
begin
  return (
    select m from sluice.routes r join sluice.models m on m.name = r.model where r.route = p_route and r.weight > 0
    order by m.paused, greatest(m.closed_until, p_now), sluice.permit_interval_ns(m) nulls last, m.id limit 1);
end
$$;

-- refuse_for_route: SL003 for p_tasks tasks of route p_route, with numbers and hint of the model that has room soonest.
create or replace function sluice.refuse_for_route(p_route text, p_tasks int, p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_model sluice.models := sluice.soonest_of(p_route, p_now);
  v_max bigint := sluice.max_unfinished(v_model);
  v_unfinished bigint := sluice.unfinished_for_message(v_model.id, null, v_max);
begin
  raise exception 'route "%" is full, for all its models are: "%" has %', p_route, v_model.name,
    sluice.how_full(v_unfinished, v_max, p_tasks)
    using errcode = 'SL003', hint = sluice.when_to_retry(v_model, v_unfinished, p_tasks, p_now);
end
$$;

-- refuse_for_line: SL003 for p_tasks tasks of a line in which p_max may wait.
create or replace function sluice.refuse_for_line(p_line int, p_tasks int, p_max int, p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_route text := (select route from sluice.route_line where n = -p_line);
  v_model sluice.models := (select m from sluice.models m where m.id = p_line);
  v_waiting bigint := sluice.depth(p_line, p_max);
begin
  v_model := case when v_route is null then v_model else sluice.soonest_of(v_route, p_now) end;
  raise exception '% "%" is full: % of % may wait (max_queue)%', case when v_route is null then 'model' else 'route' end,
    coalesce(v_route, v_model.name), v_waiting, p_max, case when p_tasks > 1 then ', no room for ' || p_tasks || ' more' else '' end
    using errcode = 'SL003', hint = sluice.when_to_retry(v_model, v_waiting, p_tasks, p_now, 1, p_max);
end
$$;

-- refuse_for_system: SL003 for p_tasks tasks: settings.max_unfinished is reached.
create or replace function sluice.refuse_for_system(p_tasks int, p_max bigint) returns void
language plpgsql volatile
as $$
begin
  raise exception 'the queue is full: %', sluice.how_full(sluice.unfinished_for_message(0, null, p_max), p_max, p_tasks)
    using errcode = 'SL003',
      hint = coalesce(sluice.too_many(p_tasks, p_max),
        'Try again in a few seconds, when some tasks have ended, or raise sluice.settings.max_unfinished.');
end
$$;

-- refuse_for_tenant: SL005 for p_tasks tasks of tenant p_tenant.
create or replace function sluice.refuse_for_tenant(p_tenant text, p_tasks int, p_max bigint) returns void
language plpgsql volatile
as $$
begin
  raise exception 'tenant "%" is at its cap: %', p_tenant,
    sluice.how_full(sluice.unfinished_for_message(null, p_tenant, p_max), p_max, p_tasks)
    using errcode = 'SL005',
      hint = coalesce(sluice.too_many(p_tasks, p_max),
        'Wait until some of its tasks have ended, cancel some, or raise sluice.tenants.max_unfinished.');
end
$$;

-- refuse_at_critical: SL003 if the system is at critical pressure, or a model that one of p_tasks names, or all models of a route
-- that one names. Called for what comes over HTTP. A model without a bound of its own has the system's. What only repeats
-- tasks that are there is not refused: their client did not hear the answer.
-- Params: p_tasks: as submit_many's; p_now.
create or replace function sluice.refuse_at_critical(p_tasks jsonb, p_now timestamptz) returns void
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_max bigint := (select max_unfinished from sluice.settings);
  v_default text := sluice.default_model();
  v_name text;
  v_model sluice.models;
  v_fits boolean;
  v_unfinished bigint;
begin
  if sluice.is_critical(0, v_max) and not sluice.are_repeated(p_tasks) then
    perform sluice.refuse_for_system(jsonb_array_length(p_tasks), v_max);
  end if;
  for v_name in select distinct coalesce(t ->> 'model', v_default) from jsonb_array_elements(p_tasks) t order by 1 loop
    v_fits := true;
    for v_model in
      select m.* from sluice.models m
      where m.name = v_name or m.name in (select r.model from sluice.routes r where r.route = v_name and r.weight > 0) order by m.id
    loop
      v_fits := v_model.max_unfinished is null or not sluice.is_critical(v_model.id, v_model.max_unfinished);
      exit when v_fits;
    end loop;
    if not v_fits and not sluice.are_repeated(p_tasks) then
      v_unfinished := sluice.unfinished_for_message(v_model.id, null, v_model.max_unfinished);
      raise exception 'model "%" is nearly full: %', v_model.name, sluice.how_full(v_unfinished, v_model.max_unfinished, 1)
        using errcode = 'SL003', hint = sluice.when_to_retry(v_model, v_unfinished, 1, p_now, sluice.critical_share());
    end if;
  end loop;
end
$$;

-- are_repeated: whether each of p_tasks has an idempotency key that was used before.
create or replace function sluice.are_repeated(p_tasks jsonb) returns boolean
language plpgsql stable
as $$
begin
  return not exists (
    select from jsonb_to_recordset(p_tasks) as t(tenant text, idempotency_key text)
    where not sluice.is_bound(coalesce(t.tenant, 'default'), t.idempotency_key));
end
$$;

-- is_critical: whether the unfinished tasks of model p_model (0: of the system), of which p_max may be, are at critical pressure.
-- Counted only when the gauge, an upper bound, says so.
create or replace function sluice.is_critical(p_model int, p_max bigint) returns boolean
language plpgsql volatile
as $$
declare
  v_gauge regclass := sluice.gauge(p_model, null);
begin
  return coalesce(pg_sequence_last_value(v_gauge) >= sluice.critical_share() * p_max, false)
    and sluice.recount_headroom(v_gauge, p_model, null, 1, p_max, sluice.critical_share()) = 0;
end
$$;

-- max_unfinished: the bound of model p_model.
create or replace function sluice.max_unfinished(p_model sluice.models) returns bigint
language plpgsql stable
as $$
begin
  return coalesce(p_model.max_unfinished, (select max_unfinished from sluice.settings));
end
$$;

-- when_to_retry: how long to wait until p_tasks more fit into the full model p_model: (tasks that must end first) x
-- (interval of its permits), and not before it opens; at most 60 s, for then somebody else may have come or gone.
-- Without a quota the rate is not known, and none is invented. p_share: of p_max (null: max_unfinished), from which on it is full.
create or replace function sluice.when_to_retry(
  p_model sluice.models, p_unfinished bigint, p_tasks int, p_now timestamptz,
  p_share double precision default sluice.overflow_share(), p_max bigint default null) returns text
language plpgsql volatile
as $$
declare
  v_max bigint := coalesce(p_max, sluice.max_unfinished(p_model));
  v_excess bigint := greatest(1, p_unfinished + p_tasks - v_max,
                              p_unfinished + 1 - ceil(p_share * v_max));
  v_seconds numeric;
begin
  if p_tasks > v_max then
    return sluice.too_many(p_tasks, v_max);
  elsif p_model.paused then
    return format('It is paused: select sluice.resume(%L) lets it go on.', p_model.name);
  elsif p_model.closed_until = 'infinity' then
    return format('It is parked: select sluice.resume(%L) lets it go on.', p_model.name);
  end if;
  v_seconds := coalesce(extract(epoch from greatest(p_model.closed_until, p_now) - p_now), 0)
    + coalesce(v_excess * sluice.permit_interval_ns(p_model) / 1e9, 0);
  return case when v_seconds = 0 then 'Try again in a few seconds, when some of its tasks have ended.'
    else format('Try again in about %s s.', ceil(greatest(1, least(60, v_seconds)))) end;
end
$$;

-- after_tenant_changes: a tenant with a cap has a gauge. After a change of the cap the next submit counts.
create or replace function sluice.after_tenant_changes() returns trigger
language plpgsql security definer
set search_path = sluice, pg_temp
as $$
declare
  v_gauge text := 'load_tenant_' || md5(new.name);
begin
  if tg_op = 'UPDATE' and old.name <> new.name then
    execute format('drop sequence if exists sluice.%I', 'load_tenant_' || md5(old.name));
  end if;
  if new.max_unfinished is not null then
    if to_regclass('sluice.' || v_gauge) is null then
      perform sluice.make_gauge(v_gauge);
    end if;
    perform setval(('sluice.' || v_gauge)::regclass, sluice.gauge_unknown());
  end if;
  return null;
end
$$;

create or replace trigger after_tenant_inserted after insert on sluice.tenants
  for each row execute function sluice.after_tenant_changes();
create or replace trigger after_tenant_updated after update on sluice.tenants
  for each row when ((old.name, old.max_unfinished) is distinct from (new.name, new.max_unfinished))
  execute function sluice.after_tenant_changes();
