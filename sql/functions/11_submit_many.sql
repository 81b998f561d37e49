-- submit_many: accepts many tasks in one statement; all or none.
-- Stage:   10. The same as sluice.submit for each element, many times faster.
-- Params:  tasks: a JSON array of objects whose keys are submit's argument names.
-- Returns: the ids, in the order of the array.
-- Errors:  as submit, the message beginning with the element's number (from 1) where one is at fault; SL004 also for an
--          unknown key; SL003 and SL005 also when all of them together are too many.
create or replace function sluice.submit_many(tasks jsonb, p_now timestamptz default null) returns setof bigint
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
#variable_conflict use_column
declare
  v_now timestamptz := case when p_now is null then clock_timestamp() else sluice.now_for(p_now) end;
  v_new sluice.backlog[];
  v_ids bigint[];
  v_stored bigint;
  v_first bigint;
  v_last bigint;
begin
  perform sluice.check_tasks(submit_many.tasks, v_now);
  if jsonb_array_length(submit_many.tasks) = 0 then
    return;
  end if;
  select i.last_value, i.last_value + jsonb_array_length(submit_many.tasks) into v_first, v_last from sluice.task_id i;
  perform sluice.make_partitions(v_first, v_last), sluice.require_range(v_last);
  with draft as materialized (
    select e.ord, nextval('sluice.task_id') as id, t.*
    from (select * from jsonb_array_elements(submit_many.tasks) with ordinality as a(item, ord) order by ord) e
    cross join lateral sluice.task_of(e.item) t),
  -- A route draws anew for every task.
  aim as materialized (
    select d.ord, d.id, x.route, x.api, x.id as model
    from draft d
    cross join lateral sluice.target(d.model, d.request is not null, v_now, d.id) x),
  kept as materialized (
    select d.ord, case when d.idempotency_key is null then d.id
      else sluice.keep_key(d.tenant, d.idempotency_key, sluice.content_sha256(
        d.model, d.prompt, d.request, d.max_output_tokens), d.id, d.ord) end as id
    from draft d order by d.ord),
  stored as (
    insert into sluice.task (id, created_at, run_at, deadline, batch_id, model, max_output_tokens, priority,
      max_attempts, route, api, tenant, traceparent, metadata, prompt, request)
    select d.id, v_now, d.run_at, d.deadline, d.batch_id, case when a.route is null then a.model end,
      d.max_output_tokens, d.priority, d.max_attempts, a.route, a.api, d.tenant, d.traceparent, d.metadata, d.prompt, d.request
    from draft d join aim a using (ord) join kept k on k.ord = d.ord and k.id = d.id
    where exists (select from sluice.id_range r where d.id >= r.first_id and d.id < r.end_id)
    returning 1)
  -- For a route's task the row carries the drawn model until sluice.place() has used it.
  select array_agg(row(d.id, case when d.run_at > v_now then d.run_at else v_now end, d.deadline, a.model,
      octet_length(coalesce(d.prompt, d.request)), 0, -d.priority, 0, not coalesce(d.run_at > v_now, false),
      a.route, d.tenant)::sluice.backlog order by d.ord) filter (where k.id = d.id),
    array_agg(k.id order by d.ord), (select count(*) from stored)
  into v_new, v_ids, v_stored
  from draft d join aim a using (ord) join kept k using (ord);

  if v_stored < cardinality(v_new) then
    -- Somebody drew as many ids as there are in two ranges meanwhile.
    raise exception 'there is no partition for all of these tasks' using errcode = 'SL003', hint = 'Try again.';
  end if;
  perform sluice.place(v_new, v_now);
  return query select unnest(v_ids);
end
$$;

-- task_of: one element of submit_many with submit's defaults filled in.
create or replace function sluice.task_of(
  p_item jsonb, out prompt text, out model text, out priority int, out tenant text, out run_at timestamptz,
  out deadline timestamptz, out idempotency_key text, out max_attempts int, out request text,
  out max_output_tokens int, out metadata jsonb, out batch_id bigint, out traceparent text)
language sql stable
as $$
  select x.prompt, coalesce(x.model, 'any'), coalesce(x.priority, 0), coalesce(x.tenant, 'default'), x.run_at,
    x.deadline, x.idempotency_key, x.max_attempts, x.request, x.max_output_tokens, x.metadata, x.batch_id, x.traceparent
  from jsonb_to_record(p_item) as x(prompt text, model text, priority int, tenant text, run_at timestamptz,
    deadline timestamptz, idempotency_key text, max_attempts int, request text, max_output_tokens int, metadata jsonb,
    batch_id bigint, traceparent text)
$$;

-- check_item: check_task for one element of submit_many.
create or replace function sluice.check_item(p_item jsonb) returns void
language plpgsql stable
as $$
declare
  v_unknown jsonb;
  v_task record;
begin
  if jsonb_typeof(p_item) <> 'object' then
    raise exception 'it is a JSON %, not an object', jsonb_typeof(p_item) using errcode = 'SL004',
      hint = 'Its keys are the argument names of sluice.submit.';
  end if;
  v_unknown := p_item - array['prompt', 'model', 'priority', 'tenant', 'run_at', 'deadline', 'idempotency_key',
    'max_attempts', 'request', 'max_output_tokens', 'metadata', 'batch_id', 'traceparent'];
  if v_unknown <> '{}' then
    raise exception 'unknown key "%"', (select min(k) from jsonb_object_keys(v_unknown) k) using errcode = 'SL004',
      hint = 'The keys are the argument names of sluice.submit.';
  end if;
  v_task := sluice.task_of(p_item);
  perform sluice.check_task(v_task.prompt, v_task.request, v_task.priority, v_task.max_attempts,
    v_task.max_output_tokens, v_task.metadata, v_task.tenant, v_task.idempotency_key);
end
$$;

-- check_item_fits: check_fits for one element of submit_many.
create or replace function sluice.check_item_fits(p_item jsonb) returns void
language plpgsql volatile
as $$
declare
  v_task record := sluice.task_of(p_item);
begin
  perform sluice.check_fits(v_task.model, v_task.tenant, octet_length(coalesce(v_task.prompt, v_task.request)),
    v_task.max_output_tokens);
end
$$;

-- check_tasks: check_item for every element, and target for each name; adds the element's number to the error.
-- One look at all of them first: a subtransaction for each cost 74 us a task, this costs a third.
create or replace function sluice.check_tasks(p_tasks jsonb, p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_item record;
  v_hint text;
begin
  if jsonb_typeof(p_tasks) is distinct from 'array' then
    raise exception 'tasks is a JSON %, not an array', coalesce(jsonb_typeof(p_tasks), 'null') using errcode = 'SL004',
      hint = 'Pass an array of objects with the same keys as the arguments of sluice.submit.';
  end if;
  begin
    perform sluice.check_item(item) from jsonb_array_elements(p_tasks) item;
    perform sluice.require_tenant(t)
    from (select distinct coalesce(item ->> 'tenant', 'default') from jsonb_array_elements(p_tasks) item) t(t);
    perform sluice.target(t.name, t.verbatim, p_now)
    from (select distinct coalesce(item ->> 'model', 'any') as name, item ->> 'request' is not null as verbatim
          from jsonb_array_elements(p_tasks) item) t;
    perform sluice.check_item_fits(item) from jsonb_array_elements(p_tasks) item
    where exists (select from sluice.models where tpm is not null)
       or exists (select from sluice.tenants where tpm is not null);
    return;
  exception when data_exception or sqlstate 'SL001' or sqlstate 'SL002' or sqlstate 'SL004' or sqlstate 'SL007'
    or sqlstate 'SL009' then
    null;  -- which one was it?
  end;
  for v_item in select item, ord from jsonb_array_elements(p_tasks) with ordinality as a(item, ord) loop
    begin
      perform sluice.check_item(v_item.item);
      perform sluice.require_tenant(coalesce(v_item.item ->> 'tenant', 'default'));
      perform sluice.target(coalesce(v_item.item ->> 'model', 'any'), v_item.item ->> 'request' is not null, p_now);
      perform sluice.check_item_fits(v_item.item);
    exception when data_exception or sqlstate 'SL001' or sqlstate 'SL002' or sqlstate 'SL004' or sqlstate 'SL007'
      or sqlstate 'SL009' then
      get stacked diagnostics v_hint = pg_exception_hint;
      v_hint := coalesce(nullif(v_hint, ''), 'Its values are of the types of sluice.submit''s arguments.');
      raise exception 'task %: %', v_item.ord, sqlerrm
        using errcode = case when sqlstate like 'SL%' then sqlstate else 'SL004' end, hint = v_hint;
    end;
  end loop;
end
$$;

-- urgent_ones: which of the new tasks p_new, p_straight not among them, go straight into their queues by their priority.
create or replace function sluice.urgent_ones(p_new sluice.backlog[], p_straight bigint[]) returns bigint[]
language plpgsql volatile
as $$
begin
  return (
    with urgent as materialized (
      select n.task_id, n.model, row_number() over (partition by n.model order by n.ordinality) as place
      from unnest(p_new) with ordinality as n
      where n.rank < 0 and n.due and n.model is not null and n.task_id <> all (p_straight)),
    room as materialized (
      select m.id, sluice.urgent_room(m.id, m.max_queue) as left
      from sluice.models m where m.id in (select model from urgent))
    select array_agg(u.task_id) from urgent u join room r on r.id = u.model where u.place <= r.left);
end
$$;

-- place: puts new tasks where they begin: straight into their model's queue while there is room, else the backlog.
-- Params:  p_new: as backlog rows; a route's row carries the model drawn for it. In order of submission; p_now.
-- Errors:  SL003, SL005: see sluice.accept_many.
create or replace function sluice.place(p_new sluice.backlog[], p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_model int;
  v_straight bigint[];
  v_full int[];
begin
  select array_agg(n.task_id) into v_straight
  from (
    select n.task_id, sluice.draw_room(n.model, not n.due) < m.max_queue as straight
    -- A left join: the draw refuses a model that was deleted meanwhile; passed over, its tasks would wait for ever.
    from unnest(p_new) with ordinality as n left join sluice.models m on m.id = n.model
    where n.model is not null order by n.ordinality) n
  where n.straight;
  v_straight := v_straight || sluice.urgent_ones(p_new, coalesce(v_straight, '{}'));
  v_full := sluice.accept_many(p_new, p_now);
  if v_full <> '{}' then
    select array_agg(n.task_id) into v_straight
    from unnest(p_new) n where n.task_id = any (v_straight) and (n.route is null or n.model <> all (v_full));
  end if;
  insert into sluice.backlog
  select n.task_id, n.ready_at, n.deadline, case when n.route is null then n.model end, n.request_bytes, n.fence, n.rank,
    n.attempts, n.due, n.route, n.tenant
  from unnest(p_new) n where n.task_id <> all (coalesce(v_straight, '{}'));
  -- Any model of a route may have room first.
  perform sluice.ring_line('route_' || r.route) from (
    select distinct n.route from unnest(p_new) n
    where n.route is not null and n.task_id <> all (coalesce(v_straight, '{}'))) r;
  for v_model in select distinct n.model from unnest(p_new) n where n.model is not null order by 1 loop
    if v_straight is not null then
      execute format('insert into sluice.%I (task_id, ready_at, deadline, model, request_bytes, fence, rank, attempts,
          tenant)
        select n.task_id, n.ready_at, n.deadline, n.model, n.request_bytes, n.fence, n.rank, n.attempts, n.tenant
        from unnest($1) n where n.model = $2 and n.task_id = any ($3)', 'queue_' || v_model)
      using p_new, v_model, v_straight;
    end if;
    perform sluice.ring(v_model);
  end loop;
end
$$;
