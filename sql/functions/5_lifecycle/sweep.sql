-- sweep: finds tasks that became visible late, because they were submitted inside a long
-- transaction; ends tasks past their deadline, and tasks that were cancelled while they moved;
-- looks at budgets and full tenants. Call it once a second; one at a time in the fleet does
-- something.
-- Returns: the number of lanes lowered; 0 also when it is not due, and -1 when it will not be
--          within 5 s unless a task comes.
--
-- What may take long rests for a multiple of its time, so that it has a bounded part of a core, and
-- the others come at their time nevertheless. While nothing waits and nothing is submitted the
-- whole sweep rests (is_idle); else an idle system with many lanes would use up 2 % of a core.
create or replace function sluice.sweep(p_now timestamptz default null) returns int
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set enable_material = off
set plan_cache_mode = force_generic_plan
as $$
declare
  c_back_min constant interval := '1 second';  -- nothing is dated so exactly
  v_now timestamptz := sluice.now_for(p_now);
  v_last timestamptz := (sluice.meter_of(0, 0)).at;
  v_due timestamptz :=
    sluice.from_micros(coalesce(pg_sequence_last_value('sluice.sweep_after'::regclass), 0));
  v_newest bigint := coalesce(pg_sequence_last_value('sluice.task_id'::regclass), 0);
  v_rest_id bigint := coalesce(pg_sequence_last_value('sluice.sweep_rest_id'::regclass), 0);
  v_is_idle boolean;
  v_started timestamptz;
  v_expired int;
  v_lowered int;
begin
  -- The last one was later than now: the clock was set back. A rest ends when a task comes, or a
  -- line may have work.
  if v_now < v_due and coalesce(v_last <= v_now, true)
     and (v_rest_id = 0 or v_rest_id = v_newest + 1 and not exists (select from sluice.ready_line))
       then
    return case when v_rest_id > 0 and v_due > v_now + interval '5 seconds' then -1 else 0 end;
  elsif not pg_try_advisory_xact_lock(sluice.lock_class('sweep'), 0) then
    return 0;
  end if;
  v_now := sluice.now_for(p_now);  -- behind the last one, unless the clock was set back
  v_is_idle := sluice.is_idle();  -- before the walk: what comes during it is not seen by all of it
  -- Rows of tasks before locks of models. At most a fiftieth of the time: it waits for rows of open
  -- transactions.
  v_started := clock_timestamp();
  if not sluice.rests(0, -5, v_now) then
    perform sluice.settle_cancellations(v_now), sluice.rest(0, -5, 50, v_started, v_now);
  end if;
  -- At most a tenth: while somebody holds a snapshot it walks over the index entries of tasks that
  -- are gone.
  v_started := clock_timestamp();
  if not sluice.rests(0, -4, v_now) then
    v_expired := sluice.expire_due(v_now);
    perform sluice.rest(0, -4, 10, v_started, v_now);
  end if;
  v_lowered := sluice.walk_in_time(v_now);
  v_started := clock_timestamp();
  if not sluice.rests(0, -6, v_now) then
    perform sluice.advance_marks(l.line, v_now) from (
      select distinct m.line from sluice.mark m where m.line <> 0 order by m.line) l;
    perform sluice.rest(0, -6, 10, v_started, v_now);
  end if;
  v_is_idle := v_is_idle and coalesce(v_expired = 0 and v_lowered = 0, false);
  perform sluice.note_meter(0, 0, v_now, 0, 0),
    setval('sluice.sweep_rest_id', case when v_is_idle then v_newest + 1 else 0 end),
    setval('sluice.sweep_after', sluice.micros(case when v_is_idle then least(
        v_now + interval '1 minute', (select min(l.deadline) from sluice.later l
          where l.deadline > v_now)) else v_now + interval '1 second' end));
  perform sluice.look_at_tenants(v_now);
  perform sluice.follow_clock_back(v_last - v_now, v_now) where v_last > v_now + c_back_min;
  perform sluice.leave_broken(v_now)
  where exists (select from sluice.fallbacks f where f.cause = 'breaker_open');
  perform sluice.clean_budgets(v_now), sluice.look_at_budgets(v_now)
  where exists (select from sluice.budgets) or exists (select from sluice.budget_wait);
  -- last: until the commit notify_ready notes anew the lines that it forgot
  perform sluice.forget_idle_lines(v_now);
  return coalesce(v_lowered, 0);
end
$$;

-- rests: whether a part of the sweep rests.
-- Params:  p_line, p_part: its meter: -2 of a line is that line's walk; -3 of line 0 is the walk of
--          all lines, -4 expiry, -5 the settling of cancellations, -6 the raising of marks.
create or replace function sluice.rests(p_line int, p_part int, p_now timestamptz) returns boolean
language plpgsql volatile
as $$
declare
  v_rest sluice.meter := sluice.meter_of(p_line, p_part);
begin
  -- One that began later than now: the clock was set back.
  return coalesce(p_now >= v_rest.at
    and p_now < v_rest.at + make_interval(secs => v_rest.v), false);
end
$$;

-- rest: notes that a part of the sweep rests p_times as long as it took: at most 30 minutes, and
-- not for less than a second, which is the sweep's own pace.
create or replace function sluice.rest(
  p_line int, p_part int, p_times int, p_started timestamptz, p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_rest_s double precision := p_times * extract(epoch from clock_timestamp() - p_started);
begin
  if v_rest_s > 1 then
    perform sluice.note_meter(p_line, p_part, p_now, least(v_rest_s, 1800), 0);
  end if;
end
$$;

-- walk_in_time: what goes through all lines and models, at most a fiftieth of the time. It finds
-- rows that became visible below their lane's mark, because they were committed later than the
-- marks' lag, and lowers the mark to them; it walks the rows that marks let others skip. It
-- notifies for the rows it found: their own notifications came before they were visible.
-- Returns: the number of lanes lowered; null while it rests.
create or replace function sluice.walk_in_time(p_now timestamptz) returns int
language plpgsql volatile
as $$
declare
  c_recounts_max constant int := 64;  -- of models without a maximum, at 60 us each
  v_started timestamptz := clock_timestamp();
  v_began timestamptz;
  v_line int;
  v_lowered int := 0;
begin
  if sluice.rests(0, -3, p_now) then
    return null;
  end if;
  for v_line in select distinct m.line from sluice.mark m order by m.line loop
    continue when sluice.rests(v_line, -2, p_now);
    v_began := clock_timestamp();
    v_lowered := v_lowered + sluice.rescan_line(v_line, p_now);
    -- Claims wait meanwhile. Millions of dead rows, or of rows of open transactions, take so long.
    perform sluice.rest(v_line, -2, 200, v_began, p_now)
    where clock_timestamp() > v_began + interval '50 ms';
  end loop;
  -- A claim or completion that was rolled back has counted its calls all the same.
  perform sluice.recount_in_flight(m.id)
  from (select id from sluice.models where max_in_flight is not null
    union (select id from sluice.models order by random() limit c_recounts_max) order by id) m;
  perform sluice.clean_spent(p_now), sluice.clean_hints(), sluice.rest(0, -3, 50, v_started, p_now);
  return v_lowered;
end
$$;

-- is_idle: whether no other sweep is needed before a task comes: no model may have work, no call is
-- under way or to be aborted, no task waits for a budget of a time that rolls, which has more room
-- at any moment, and no transaction is open that could still commit a row below a mark. The
-- cheapest condition is first: in a busy system it decides.
create or replace function sluice.is_idle() returns boolean
language plpgsql volatile
as $$
begin
  return not exists (select from sluice.ready_line)
    and not exists (select from pg_snapshot_xip(pg_current_snapshot()) x
      where x is distinct from pg_current_xact_id_if_assigned())
    and not exists (select from sluice.cancellation)
    and not exists (select from sluice.lease)
    and not sluice.waits_for_time();
end
$$;

-- mark_pays: a look that walks over dead rows of more pages than this costs more than one that
-- steps over a mark.
create or replace function sluice.mark_pays() returns int
language sql immutable parallel safe
as $$ select 8 $$;

-- advance_marks: raises the marks of p_line to the first rows of their lanes, of those lanes that
-- have dead rows of more than mark_pays pages before them. The line's lock is tried only if there
-- are such lanes: meanwhile claims of that line get nothing.
-- twin: tenant_key
create or replace function sluice.advance_marks(p_line int, p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_table oid := to_regclass('sluice.' || sluice.place_of(p_line));
  v_first text := format('left join lateral (
      select q.ready_at from sluice.%I q
      where q.rank = m.rank and (hashtextextended(q.tenant, 0) >> 1) = m.tenant
        and q.ready_at >= m.ready_at
      order by q.rank, hashtextextended(q.tenant, 0) >> 1, q.ready_at limit 1) f on true',
    sluice.place_of(p_line));
  v_ranks smallint[];
  v_tenants bigint[];
  v_marks timestamptz[];
begin
  execute format($sql$
    with marked as materialized (
      select distinct on (m.rank, m.tenant) m.rank, m.tenant, m.ready_at from sluice.mark m
      where m.line = $1 order by m.rank, m.tenant, m.n desc),
    seen as materialized (
      select m.*, f.ready_at as first, pg_stat_get_xact_blocks_fetched($2) as pages
      from marked m %s)
    select array_agg(w.rank), array_agg(w.tenant), array_agg(w.ready_at)
    from (select s.*, s.pages - lag(s.pages, 1, $3) over () as walk from seen s) w
    where w.walk > sluice.mark_pays()
    $sql$, v_first)
  into v_ranks, v_tenants, v_marks
  using p_line, v_table, pg_stat_get_xact_blocks_fetched(v_table);
  if v_ranks is not null and sluice.try_line(p_line) then
    execute format($sql$
      select sluice.set_mark($1, m.rank, m.tenant, least($2, f.ready_at))
      from unnest($3, $4, $5) m(rank, tenant, ready_at) %s
      where m.ready_at < least($2, f.ready_at)
      $sql$, v_first)
    using p_line, p_now - sluice.mark_lag(), v_ranks, v_tenants, v_marks;
  end if;
exception when undefined_table then  -- its model or route was deleted just now
  null;
end
$$;

-- rescan_line: lowers the marks of p_line above rows. Removes marks that no longer pay: those of
-- empty lanes whose dead rows are gone, or were few (each mark costs every look 20 us: 10,000 idle
-- lanes 200 ms); and those ahead of the clock. Tries the line's lock.
-- Returns: how many lanes it lowered.
-- The cost of a walk is the number of pages that it fetched; dead rows that nobody can see any more
-- cost nothing.
-- twin: tenant_key
create or replace function sluice.rescan_line(p_line int, p_now timestamptz) returns int
language plpgsql volatile
as $$
declare
  v_queue text := sluice.place_of(p_line);
  v_table oid := to_regclass('sluice.' || v_queue);
  v_lowered int;
begin
  execute format($sql$
    with marked as materialized (
      select distinct on (m.rank, m.tenant) m.rank, m.tenant, m.ready_at, m.n from sluice.mark m
      where m.line = $1
      order by m.rank, m.tenant, m.n desc),
    seen as materialized (
      select m.*, f.ready_at as first, pg_stat_get_xact_blocks_fetched($3) as pages from marked m
      left join lateral (select q.ready_at from %s order by q.ready_at limit 1) f on true),
    walked as materialized (
      select s.*, s.pages - lag(s.pages, 1, $4) over () as walk from seen s),
    useless as (
      delete from sluice.mark m using walked w
      where m.line = $1 and m.rank = w.rank and m.tenant = w.tenant and m.n <= w.n
        and (w.ready_at > $2 - sluice.mark_lag() or w.first is null
          and w.walk <= sluice.mark_pays()))
    insert into sluice.mark (line, rank, tenant, n, ready_at)
    select $1, w.rank, w.tenant, nextval('sluice.mark_id'), w.first from walked w
    where w.first < w.ready_at and sluice.try_line($1)
    $sql$, case when p_line = 0 then 'sluice.later q where true' else format(
      'sluice.%I q where q.rank = m.rank and (hashtextextended(q.tenant, 0) >> 1) = m.tenant',
        v_queue) end)
  using p_line, p_now, v_table, pg_stat_get_xact_blocks_fetched(v_table);
  get diagnostics v_lowered = row_count;
  if v_lowered > 0 and p_line <> 0 then
    perform sluice.notify_ready(p_line);
  elsif v_lowered > 0 then
    perform sluice.notify('sluice_work', '0');  -- any worker's look finds what has come
  end if;
  return v_lowered;
exception when undefined_table then  -- its model or route was deleted just now
  return 0;
end
$$;

-- clean_hints: removes marks, meters, clocks, rounds and speeds that have been replaced by newer
-- ones, clocks behind the level (tenants without a clock begin there), and those of lines that no
-- longer exist.
create or replace function sluice.clean_hints() returns void
language plpgsql volatile
as $$
declare
  v_lines int[] := 0 || sluice.all_lines();
begin
  delete from sluice.mark m
  where m.line <> all (v_lines) or m.n < (select max(n.n) from sluice.mark n
    where n.line = m.line and n.rank = m.rank and n.tenant = m.tenant);
  delete from sluice.meter m
  where m.line <> all (v_lines) or m.n < (select max(n.n) from sluice.meter n
    where n.line = m.line and n.model = m.model);
  delete from sluice.tenant_clock c
  where c.n < (select max(n.n) from sluice.tenant_clock n
    where n.model = c.model and n.rank = c.rank and n.tenant = c.tenant);
  delete from sluice.tenant_clock c
  where c.tenant <> sluice.level_key() and c.v <= (select max(l.v) from sluice.tenant_clock l
    where l.model = c.model and l.rank = c.rank and l.tenant = sluice.level_key());
  delete from sluice.lane_round r
  where r.n < (select max(n.n) from sluice.lane_round n
    where n.model = r.model and n.line = r.line);
  -- Beyond this no clock would tell a task's length from nothing: its model's begin anew.
  delete from sluice.tenant_clock c
  where c.model in (select k.model from sluice.tenant_clock k where k.v > 1e12);
  delete from sluice.lane_round r where r.ends > 1e12;
  delete from sluice.speed s
  where s.n < (select max(n.n) from sluice.speed n where n.model = s.model);
end
$$;
