-- Tasks that meet a filter, page by page, so that a search can stop between two. A page is read in
-- the order of an index. What PostgreSQL knows of a table may be from when it was empty: then it
-- would rather collect and sort all its rows for each page, 100,000 in 35 ms, so it may not.

-- chosen_page: the next p_max of the chosen ids, as far as they are in a place and meet the
-- conditions. Locks nothing.
-- Params:  p_place: result, or a table of unfinished tasks; p_unsolved: as for ended_page; p_after:
--          the last id of the page before.
-- Returns: ids, ascending; last: the last id looked at; null: none is left.
create or replace function sluice.chosen_page(
  p_place text, p_filter sluice.task_filter, p_unsolved boolean, p_after bigint, p_until bigint,
  p_max int, out ids bigint[], out last bigint)
language plpgsql volatile
as $$
declare
  v_chosen bigint[] := array(select distinct i from unnest(p_filter.ids) i
    where i > p_after and i <= p_until order by i limit p_max);
  v_here bigint[];
begin
  last := v_chosen[cardinality(v_chosen)];
  if p_place <> 'result' then
    execute format('select array_agg(q.task_id) from sluice.%I q where q.task_id = any ($1)
      and ($2 is null or q.model = $2)', p_place)
    into v_here using v_chosen, p_filter.model;
    ids := array(
      select t.id from sluice.task t
      where t.id = any (v_here) and t.id between v_chosen[1] and last
        and (t.tenant = any (p_filter.tenants)) = p_filter.is_bound
        and (p_filter.route is null or t.route = p_filter.route)
        and sluice.is_meant(p_filter, t, t.created_at)
      order by t.id);
    return;
  end if;
  ids := array(
    select r.task_id from sluice.result r cross join lateral (
      select t.* from sluice.task t where t.id = r.task_id limit 1) t
    where r.task_id = any (v_chosen) and r.task_id between v_chosen[1] and last
      and (not p_unsolved or r.status <> 'solved'
        and (p_filter.is_retargeted or sluice.is_served(t.model, t.route)))
      and (t.tenant = any (p_filter.tenants)) = p_filter.is_bound and t.forgotten_at is null
      and sluice.end_is_meant(p_filter, t::sluice.task, r)
    order by r.task_id);
end
$$;

-- page_rows: how many results a page of at most p_max tasks looks at. To compare a message takes
-- 0.1 ms.
create or replace function sluice.page_rows(p_filter sluice.task_filter, p_max int) returns int
language sql immutable parallel safe
as $$ select least(20 * p_max, case when p_filter.message is null then 1000 else 50 end) $$;

-- results_upto: the last id of a page of results: the next p_rows from p_from on, up to p_until.
-- Null: there are none. Searches for results that meet conditions go from page to page, so that
-- they can stop between two, however few match. A page whose tasks have 64 KiB of metadata each
-- takes 0.2 s.
-- Params:  p_unsolved: of results that are not solved: few where most are.
create or replace function sluice.results_upto(
  p_from bigint, p_until bigint, p_rows int, p_unsolved boolean)
returns bigint
language plpgsql stable
set enable_bitmapscan = off
as $$
begin
  return case when p_unsolved then (select max(p.task_id) from (
      select r.task_id from sluice.result r where r.task_id >= p_from and r.task_id <= p_until
        and r.status <> 'solved'
      order by r.task_id limit p_rows) p)
    else (select max(p.task_id) from (
      select r.task_id from sluice.result r where r.task_id >= p_from and r.task_id <= p_until
      order by r.task_id limit p_rows) p) end;
end
$$;

-- ended_page: locks a page of results that meet the conditions and were not forgotten.
-- Params:  p_unsolved: only results that are not solved, of tasks that are still served; p_after:
--          the last id of the page before; p_max: at most so many.
-- Returns: ids, ascending; last: the last id looked at; null: none is left.
create or replace function sluice.ended_page(
  p_filter sluice.task_filter, p_unsolved boolean, p_after bigint, p_until bigint, p_max int,
  out ids bigint[], out last bigint)
language plpgsql volatile
as $$
begin
  if p_filter.ids is not null then
    select c.ids, c.last into ids, last
    from sluice.chosen_page('result', p_filter, p_unsolved, p_after, p_until, p_max) c;
    ids := array(select r.task_id from sluice.result r where r.task_id = any (ids)
      order by r.task_id for update);
    return;
  end if;
  last := sluice.results_upto(p_after + 1, p_until, sluice.page_rows(p_filter, p_max), p_unsolved);
  if p_unsolved then
    ids := array(
      select r.task_id from sluice.result r cross join lateral (
        select t.* from sluice.task t where t.id = r.task_id limit 1) t
      where r.task_id > p_after and r.task_id <= last and r.status <> 'solved'
        and (t.tenant = any (p_filter.tenants)) = p_filter.is_bound
        and sluice.end_is_meant(p_filter, t::sluice.task, r)
        and t.forgotten_at is null
        and (p_filter.is_retargeted or sluice.is_served(t.model, t.route))
      order by r.task_id limit p_max for update of r);
  else
    ids := array(
      select r.task_id from sluice.result r cross join lateral (
        select t.* from sluice.task t where t.id = r.task_id limit 1) t
      where r.task_id > p_after and r.task_id <= last
        and (t.tenant = any (p_filter.tenants)) = p_filter.is_bound
        and sluice.end_is_meant(p_filter, t::sluice.task, r) and t.forgotten_at is null
      order by r.task_id limit p_max for update of r);
  end if;
  last := case when cardinality(ids) = p_max then ids[p_max] else last end;
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

-- unfinished_page: a page of unfinished tasks that meet the conditions: at most p_max tasks out of
-- 20 times as many rows. Each place has the tenant, so other tenants' tasks are not read (beside
-- 800,000 of them it took 4 s).
-- Params:  p_place: their table; p_after: the last id of the page before.
-- Returns: ids, ascending; last: the last id looked at; null: none is left.
create or replace function sluice.unfinished_page(
  p_place text, p_filter sluice.task_filter, p_after bigint, p_until bigint, p_max int,
  out ids bigint[], out last bigint)
language plpgsql volatile
set enable_bitmapscan = off
as $$
declare
  v_page bigint[];
begin
  if p_filter.ids is not null then
    select c.ids, c.last into ids, last
    from sluice.chosen_page(p_place, p_filter, false, p_after, p_until, p_max) c;
    return;
  end if;
  execute format($sql$
    with page as materialized (
      select task_id, tenant, model from sluice.%I where task_id > $1 and task_id <= $2
      order by task_id limit 20 * $7),
    meant as (
      select task_id from page where ($3 is null or model = $3) and (tenant = any ($4)) = $5
        and ($6 is null or tenant = $6)
      order by task_id limit $7)
    select array_agg(task_id), case when count(*) = $7 then max(task_id)
      else (select max(task_id) from page) end from meant
    $sql$, p_place)
  into v_page, last using p_after, p_until, p_filter.model, p_filter.tenants, p_filter.is_bound,
    p_filter.tenant, p_max;
  ids := array(select t.id from sluice.task t
    where t.id = any (v_page) and (p_filter.route is null or t.route = p_filter.route)
      and sluice.is_meant(p_filter, t, t.created_at) order by t.id);
end
$$;
