-- Tasks that meet a filter, page by page, so that a search can stop between two. A page is read in
-- the order of an index. What PostgreSQL knows of a table may be from when it was empty: then it
-- would rather collect and sort all its rows for each page, 100,000 in 35 ms, so it may not.

-- page_rows: at how many rows a page of at most p_max tasks looks at. To compare a message takes
-- 0.1 ms.
create or replace function sluice.page_rows(p_filter sluice.task_filter, p_max int) returns int
language sql immutable parallel safe
as $$ select least(20 * p_max, case when p_filter.message is null then 1000 else 50 end) $$;

-- result_ids: the next p_rows results after p_after, up to p_until, ascending. Searches for results
-- that meet conditions go from page to page, so that they can stop between two, however few match.
-- A page whose tasks have 64 KiB of metadata each takes 0.2 s.
-- Params:  p_chosen: of these ids, which need not have results (null: of all); p_unsolved: of
--          results that are not solved: few where most are.
create or replace function sluice.result_ids(
  p_chosen bigint[], p_unsolved boolean, p_after bigint, p_until bigint, p_rows int)
returns bigint[]
language plpgsql stable
set enable_bitmapscan = off
as $$
begin
  return case when p_chosen is not null then array(
      select distinct i from unnest(p_chosen) i where i > p_after and i <= p_until
      order by i limit p_rows)
    when p_unsolved then array(
      select r.task_id from sluice.result r where r.task_id > p_after and r.task_id <= p_until
        and r.status <> 'solved'
      order by r.task_id limit p_rows)
    else array(
      select r.task_id from sluice.result r where r.task_id > p_after and r.task_id <= p_until
      order by r.task_id limit p_rows) end;
end
$$;

-- meant_page: a page of tasks of one place that meet the conditions. Locks nothing. Each place of
-- unfinished tasks has the tenant, so other tenants' tasks are not read (beside 800,000 of them it
-- took 4 s).
-- Params:  p_place: result, or a table of unfinished tasks; p_unsolved: as for end_is_meant;
--          p_after: the last id of the page before; p_rows: at how many rows it looks at most;
--          p_max: at most so many tasks.
-- Returns: ids, ascending; last: the last id looked at; null: none is left; rows: at how many it
--          looked.
create or replace function sluice.meant_page(
  p_place text, p_filter sluice.task_filter, p_unsolved boolean, p_after bigint, p_until bigint,
  p_rows int, p_max int, out ids bigint[], out last bigint, out rows bigint)
language plpgsql volatile
set enable_bitmapscan = off
as $$
declare
  v_page bigint[];
begin
  if p_place = 'result' then
    v_page := sluice.result_ids(p_filter.ids, p_unsolved, p_after, p_until, p_rows);
    rows := cardinality(v_page);
    ids := array(
      select t.id from (select i from unnest(v_page) i order by i offset 0) p
      cross join lateral (select r.* from sluice.result r where r.task_id = p.i limit 1) r
      cross join lateral (select t.* from sluice.task t where t.id = p.i limit 1) t
      where sluice.end_is_meant(p_filter, t::sluice.task, r::sluice.result, p_unsolved)
      order by p.i limit p_max);
    last := coalesce(ids[p_max], v_page[rows]);
    return;
  end if;
  execute format($sql$
    with page as materialized (select task_id, tenant, model from sluice.%I where %s),
    meant as (
      select task_id from page where ($3 is null or model = $3) and (tenant = any ($4)) = $5
        and ($6 is null or tenant = $6)
      order by task_id limit $7)
    select array_agg(task_id), case when count(*) = $7 then max(task_id)
      else (select max(task_id) from page) end, (select count(*) from page) from meant
    $sql$, p_place, case when p_filter.ids is null
      then 'task_id > $1 and task_id <= $2 order by task_id limit $8'
      else 'task_id = any ($9) and task_id > $1 and task_id <= $2' end)
  into v_page, last, rows using p_after, p_until, p_filter.model, p_filter.tenants,
    p_filter.is_bound, p_filter.tenant, p_max, p_rows, p_filter.ids;
  ids := array(
    select t.id from unnest(v_page) i
    cross join lateral (select t.* from sluice.task t where t.id = i limit 1) t
    where (p_filter.route is null or t.route = p_filter.route)
      and sluice.is_meant(p_filter, t::sluice.task, t.created_at) order by t.id);
end
$$;

-- unfinished_places: the tables in which unfinished tasks that meet the conditions may be.
create or replace function sluice.unfinished_places(p_filter sluice.task_filter) returns text[]
language plpgsql stable
as $$
declare
  v_chosen int[] := case when p_filter.ids is not null then array(
    select distinct unnest(sluice.lines_of_task(sluice.facts_of(t))) from sluice.task t
    where t.id = any (p_filter.ids) and (t.tenant = any (p_filter.tenants)) = p_filter.is_bound)
    end;
  v_queues text[] := array(select sluice.place_of(l) from unnest(sluice.all_lines()) l
    where (p_filter.name is null or l = p_filter.model
        or l = any (sluice.lines_of_route(p_filter.route))
        or p_filter.route is not null and l > 0)
      and (v_chosen is null or l = any (v_chosen)) order by l);
begin
  return case coalesce(p_filter.status, '') when 'queued' then v_queues
    when 'unsolved' then array['later'] when 'processing' then array['lease']
    else v_queues || array['later', 'lease'] end;
end
$$;

-- next_page: the next page of tasks that meet the conditions, from a position on. Locks results,
-- not waiting tasks.
-- Params:  p_unsolved: as for end_is_meant; p_position: places: those to go through; again: then
--          these; after: the last id looked at in the first place; until: the last id in question;
--          is_again; p_max: at most so many tasks.
-- Returns: place: their table; null: there is none left; ids; next: the position afterwards; null:
--          the end; is_again: the place has been gone through before.
create or replace function sluice.next_page(
  p_filter sluice.task_filter, p_unsolved boolean, p_position jsonb, p_max int, out place text,
  out ids bigint[], out next jsonb, out is_again boolean)
language plpgsql volatile
as $$
declare
  v_last bigint;
begin
  next := p_position;
  place := next -> 'places' ->> 0;
  is_again := coalesce((next ->> 'is_again')::boolean, false);
  ids := '{}';
  if to_regclass('sluice.' || quote_ident(place)) is not null then  -- else its model was deleted
    select m.ids, m.last into ids, v_last from sluice.meant_page(place, p_filter, p_unsolved,
      (next ->> 'after')::bigint, (next ->> 'until')::bigint,
      sluice.page_rows(p_filter, p_max), p_max) m;
  end if;
  if place = 'result' then
    ids := array(
      select r.task_id from sluice.result r
      where r.task_id = any (ids) and r.task_id between ids[1] and ids[cardinality(ids)]
      order by r.task_id for update);
  end if;
  if v_last is not null then
    next := next || jsonb_build_object('after', v_last);
  elsif jsonb_array_length(next -> 'places') > 1 then
    next := next || jsonb_build_object('places', (next -> 'places') - 0, 'after', 0);
  elsif jsonb_array_length(next -> 'again') > 0 then
    next := next || jsonb_build_object('places', next -> 'again', 'again', '[]'::jsonb, 'after', 0,
      'is_again', true);
  else
    next := null;
  end if;
end
$$;
