-- Of the sweep: marks that are too low or too high, and counts that a rollback left behind.

-- mark_pays: a look that walks over dead rows of more pages than this costs more than one that
-- steps over a mark.
create or replace function sluice.mark_pays() returns int
language sql immutable parallel safe
as $$ select 8 $$;

-- advance_lines: what keeps the locks of lines and models until the commit, at most a tenth of the
-- time: advances marks, and counts calls in flight anew.
create or replace function sluice.advance_lines(p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  c_recounts_max constant int := 64;  -- of models without a maximum, at 60 us each
begin
  perform sluice.advance_marks(l.line, p_now) from (
    select distinct m.line from sluice.mark m where m.line <> 0 order by m.line) l;
  -- A claim or completion that was rolled back has counted its calls all the same.
  perform sluice.recount_in_flight(m.id)
  from (select id from sluice.models where max_in_flight is not null
    union (select id from sluice.models order by random() limit c_recounts_max) order by id) m;
end
$$;

-- advance_marks: raises the marks of p_line to the first rows of their lanes, of those lanes that
-- have dead rows of more than mark_pays pages before them. The line's lock is tried only if there
-- are such lanes: meanwhile claims of that line get nothing.
-- twin: tenant_key (change all alike)
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
begin
  execute format($sql$
    with marked as materialized (
      select distinct on (m.rank, m.tenant) m.rank, m.tenant, m.ready_at from sluice.mark m
      where m.line = $1 order by m.rank, m.tenant, m.n desc),
    seen as materialized (
      select m.*, f.ready_at as first, pg_stat_get_xact_blocks_fetched($2) as pages
      from marked m %s)
    select array_agg(w.rank), array_agg(w.tenant)
    from (select s.*, s.pages - lag(s.pages, 1, $3) over () as walk from seen s) w
    where w.walk > sluice.mark_pays()
    $sql$, v_first)
  into v_ranks, v_tenants
  using p_line, v_table, pg_stat_get_xact_blocks_fetched(v_table);
  if v_ranks is not null and sluice.try_line(p_line) then
    execute format($sql$
      select sluice.set_mark($1, m.rank, m.tenant, least($2, f.ready_at))
      from (select l.rank, l.tenant, sluice.mark_of($1, l.rank, l.tenant) as ready_at
        from unnest($3, $4) l(rank, tenant) offset 0) m %s
      where m.ready_at < least($2, f.ready_at)
      $sql$, v_first)
    using p_line, p_now - sluice.mark_lag(), v_ranks, v_tenants;
  end if;
exception when undefined_table then  -- its model or route was deleted just now
  null;
end
$$;

-- rescan_line: lowers the marks of p_line above rows. Removes marks that no longer pay: those of
-- empty lanes whose dead rows are gone, or were few (each mark costs every look 20 us: 10,000 idle
-- lanes 200 ms); and those ahead of the clock. Tries the line's lock.
-- Params:  p_from: looks only for rows between then and the marks, and removes no marks.
-- Returns: how many lanes it lowered.
-- The cost of a walk is the number of pages that it fetched; dead rows that nobody can see any more
-- cost nothing.
-- twin: tenant_key
create or replace function sluice.rescan_line(
  p_line int, p_now timestamptz, p_from timestamptz default '-infinity') returns int
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
      where m.line = $1 and (m.line <> 0 or m.rank = 0)
      order by m.rank, m.tenant, m.n desc),
    seen as materialized (
      select m.*, f.ready_at as first, pg_stat_get_xact_blocks_fetched($3) as pages from marked m
      left join lateral (select q.ready_at from %s and q.ready_at >= $5
          and q.ready_at <= case when $5 = '-infinity' then 'infinity' else m.ready_at end
        order by q.ready_at limit 1) f on true),
    walked as materialized (
      select s.*, s.pages - lag(s.pages, 1, $4) over () as walk from seen s),
    useless as (
      delete from sluice.mark m using walked w
      where $5 = '-infinity' and m.line = $1 and m.rank = w.rank and m.tenant = w.tenant
        and m.n <= w.n
        and (w.ready_at > $2 - sluice.mark_lag() or w.first is null
          and w.walk <= sluice.mark_pays()))
    insert into sluice.mark (line, rank, tenant, n, ready_at)
    select $1, w.rank, w.tenant, nextval('sluice.mark_id'), w.first from walked w
    where w.first < w.ready_at and sluice.try_line($1)
    $sql$, case when p_line = 0 then 'sluice.later q where true' else format(
      'sluice.%I q where q.rank = m.rank and (hashtextextended(q.tenant, 0) >> 1) = m.tenant',
        v_queue) end)
  using p_line, p_now, v_table, pg_stat_get_xact_blocks_fetched(v_table), p_from;
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

-- forget_later_gone: removes notes of tenants (2_storage/later.sql) of whom nothing waits for its
-- time, and whose dead rows are gone, or few. At most a fiftieth of the time, by itself: it walks
-- over the dead rows of all others.
-- twin: tenant_key
create or replace function sluice.forget_later_gone(p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_before bigint := pg_stat_get_xact_blocks_fetched('sluice.later'::regclass);
begin
  with noted as materialized (
    select distinct m.tenant from sluice.mark m where m.line = 0 and m.rank = 1),
  seen as materialized (
    select n.tenant, f.ready_at as first,
      pg_stat_get_xact_blocks_fetched('sluice.later'::regclass) as pages
    from noted n
    -- by a range, not "=": else the order by time alone might go through all that waits
    left join lateral (select l.ready_at from sluice.later l
      where ((hashtextextended(l.tenant, 0) >> 1), l.ready_at) >= (n.tenant, '-infinity')
        and ((hashtextextended(l.tenant, 0) >> 1), l.ready_at) <= (n.tenant, 'infinity')
      order by hashtextextended(l.tenant, 0) >> 1, l.ready_at limit 1) f on true),
  walked as materialized (
    select s.*, s.pages - lag(s.pages, 1, v_before) over () as walk from seen s)
  delete from sluice.mark m using walked w
  where m.line = 0 and m.rank = 1 and m.tenant = w.tenant and w.first is null
    and w.walk <= sluice.mark_pays();
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
