-- The search for tasks by any of their columns. It looks at a bounded number of tasks, newest
-- first, for a bounded time, and says how far it came. What a task must meet is compared for tasks
-- of the caller's tenants only: a fence stands between.

-- search_looks_max: at how many tasks a search looks.
-- Params:  p_reads_texts: it compares texts.
create or replace function sluice.search_looks_max(p_reads_texts boolean) returns int
language sql immutable parallel safe
as $$ select case when p_reads_texts then 2000 else 10000 end $$;

-- id_at: from which id on tasks were submitted at p_time or later, by bisection. Ids grow with time
-- but for what was submitted within the same moment, or with a time of its own.
create or replace function sluice.id_at(p_time timestamptz) returns bigint
language plpgsql stable strict
as $$
declare
  v_from bigint := coalesce((select min(t.id) from sluice.task t), 1);
  v_upto bigint := coalesce((select max(t.id) from sluice.task t), 0) + 1;
  v_middle bigint;
  v_id bigint;
  v_at timestamptz;
begin
  while v_from < v_upto loop
    v_middle := v_from + (v_upto - v_from) / 2;
    select t.id, t.created_at into v_id, v_at from sluice.task t where t.id >= v_middle
    order by t.id limit 1;
    if v_id is null or v_at >= p_time then
      v_upto := v_middle;
    else
      v_from := v_id + 1;
    end if;
  end loop;
  return v_from;
end
$$;

-- searched_text: the query of the ids, and of what a fence needs, of the newest tasks of a place.
-- $1 to $2: ids from, and below; $3: how many.
-- Params:  p_place: task, later, queue, lease or result, queue_<l> of several lines with blanks
--          between; p_status: of results (null: not solved).
create or replace function sluice.searched_text(p_place text, p_status text) returns text
language sql immutable
as $$
  select case
    when p_place = 'task' then 'select t.id, t.tenant from sluice.task t
      where t.id >= $1 and t.id < $2 order by t.id desc limit $3'
    when p_place = 'result' then format('select f.id, t.tenant from (
      select r.task_id as id, r.status from sluice.result r where r.task_id >= $1
        and r.task_id < $2 and r.status %s ''solved'' order by r.task_id desc limit $3) f
      cross join lateral (select t.tenant from sluice.task t where t.id = f.id limit 1) t',
      case p_status when 'solved' then '=' else '<>' end)
    else format('select p.id, p.tenant from (%s) p order by p.id desc limit $3', (
      select string_agg(format('(select q.task_id as id, q.tenant from sluice.%I q
        where q.task_id >= $1 and q.task_id < $2 order by q.task_id desc limit $3)', o.place),
        ' union all ')
      from unnest(string_to_array(p_place, ' ')) o(place))) end
$$;

-- searched_place: the place where tasks that meet p_conditions are; see searched_text.
create or replace function sluice.searched_place(p_conditions sluice.search_conditions)
returns text
language plpgsql stable
as $$
declare
  v_model sluice.models := (select m from sluice.models m where m.name = p_conditions.model);
  v_lines int[];
begin
  if p_conditions.status in ('solved', 'failed', 'cancelled', 'expired')
    or p_conditions.status is null and p_conditions.error_code is not null then
    return 'result';
  elsif p_conditions.status is null then
    return 'task';
  elsif p_conditions.status <> 'queued' then
    return case p_conditions.status when 'unsolved' then 'later' else 'lease' end;
  end if;
  v_lines := case when v_model.id is not null then sluice.lines_of_model(v_model.id)
    else sluice.lines_of_route(p_conditions.model) end;
  return case when p_conditions.model is null then 'queue' else coalesce(
    (select string_agg(sluice.place_of(l), ' ') from unnest(v_lines) l), 'queue') end;
end
$$;

-- has_text: whether one of p_texts has p_text in it, in upper or lower case.
create or replace function sluice.has_text(p_text text, variadic p_texts text[]) returns boolean
language sql immutable parallel safe
as $$ select exists (select from unnest(p_texts) t where strpos(lower(t), lower(p_text)) > 0) $$;

-- search_step: one step of a search.
-- Params:  p_place: from searched_place; p_from, p_before: ids from, and below; p_looks: at so many
--          tasks; p_max: at most so many that meet p_conditions.
-- Returns: ids: of tasks that do, descending; looked_at; last_id: the last one it looked at; null:
--          there is none left.
create or replace function sluice.search_step(
  p_conditions sluice.search_conditions, p_place text, p_from bigint, p_before bigint, p_looks int,
  p_max int, out ids bigint[], out looked_at int, out last_id bigint)
language plpgsql volatile
as $$
declare
  c_chars_max constant int := 16384;  -- of each text: its beginning
begin
  execute format($sql$
    with seen as materialized (%s),
    own as materialized (
      select s.id from seen s cross join sluice.caller_scope() c
      where (s.tenant = any (c.tenants)) = c.bound and (($4).tenant is null
        or s.tenant = ($4).tenant)),
    met as materialized (
      select o.id from own o
      cross join (select (select m.id from sluice.models m where m.name = ($4).model) as model) n
      cross join lateral (
        select t.*, r.status, r.model as ended_at, r.error_code, r.error, r.answer, r.response,
          (select l.model from sluice.lease l where l.task_id = t.id) as called
        from sluice.task t left join sluice.result r on r.task_id = t.id
        where t.id = o.id offset 0) t
      where (t.status is null or ($4).status is null or t.status = ($4).status)
        and (($4).model is null or t.model = n.model or t.route = ($4).model
          or t.ended_at = ($4).model or t.called = n.model)
        and (($4).batch_id is null or t.batch_id = ($4).batch_id)
        and (($4).priority is null or t.priority = ($4).priority)
        and (($4).since is null or t.created_at >= ($4).since)
        and (($4).until is null or t.created_at < ($4).until)
        and (($4).error_code is null or t.error_code = ($4).error_code)
        and (($4).metadata_key is null or case when ($4).metadata_value is null
          then t.metadata ? ($4).metadata_key
          else t.metadata ->> ($4).metadata_key = ($4).metadata_value end)
        and (($4).text is null
          or sluice.has_text(($4).text, left(t.prompt, $6), left(t.request, $6),
            left(t.answer, $6), left(t.response, $6), t.error))
      order by o.id desc limit $5)
    select array(select m.id from met m order by m.id desc), count(*), min(s.id) from seen s
    where (select count(*) from met) < $5 or s.id >= (select min(m.id) from met m)
    $sql$, sluice.searched_text(p_place, p_conditions.status))
  into ids, looked_at, last_id using p_from, p_before, p_looks, p_conditions, p_max,
    c_chars_max;
end
$$;

-- search_ids: the newest tasks of the caller's tenants that meet p_conditions. It looks at
-- search_looks_max tasks, and begins no step after look_time().
-- Params:  p_max: at most so many.
-- Returns: ids: descending; looked_at: at how many tasks; next_before: where the next search goes
--          on; null: it has seen all.
create or replace function sluice.search_ids(
  p_conditions sluice.search_conditions, p_max int, out ids bigint[], out looked_at int,
  out next_before bigint)
language plpgsql volatile
as $$
declare
  -- Ids of one moment are in no order of time: a bulk submit takes half a second.
  c_moment constant interval := '2 seconds';
  -- One that takes longer by this than the fastest, which is what a step costs anyhow, halves the
  -- next one.
  c_step_lasts constant interval := '15 ms';
  v_stop timestamptz := clock_timestamp() + sluice.look_time();
  v_place text := sluice.searched_place(p_conditions);
  v_looks_max int := sluice.search_looks_max(p_conditions.text is not null);
  v_from bigint := coalesce(sluice.id_at(p_conditions.since - c_moment), 0);
  v_step record;
  v_step_begun timestamptz;
  v_took interval;
  v_least interval;
  -- A text may be made so that to look for it in five tasks takes 0.1 s.
  v_looks int := case when p_conditions.text is null then 500 else 5 end;
begin
  ids := '{}';
  looked_at := 0;
  next_before := least(p_conditions.before, case when p_conditions.until is not null
    then sluice.id_at(p_conditions.until + c_moment) end, 9223372036854775807);
  loop
    v_looks := least(v_looks, v_looks_max - looked_at);
    v_step_begun := clock_timestamp();
    v_step := sluice.search_step(p_conditions, v_place, v_from, next_before, v_looks,
      p_max - cardinality(ids));
    ids := ids || v_step.ids;
    looked_at := looked_at + v_step.looked_at;
    next_before := case when v_step.looked_at = v_looks or cardinality(ids) >= p_max
      then v_step.last_id end;
    exit when next_before is null or cardinality(ids) >= p_max or looked_at >= v_looks_max
      or clock_timestamp() >= v_stop;
    v_took := clock_timestamp() - v_step_begun;
    v_least := least(v_least, v_took);
    v_looks := case when v_took < v_least + c_step_lasts
      then least(2 * v_looks, v_looks_max / 5) else greatest(v_looks / 2, 1) end;
  end loop;
end
$$;
