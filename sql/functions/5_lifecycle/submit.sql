-- submit and its rarely needed checks.

-- check_in_full: the checks that most submits do not need: those of a task that is not plain, and
-- those of tenants and models with bounds.
-- Params:  p_draft: the task; p_id: its id; p_name: its model or route, the default filled in;
--          p_routed: that is a route; p_limited: some quota of tokens may apply; p_bounded: its
--          tenant may have limits.
-- Returns: p_id, or the id to which its idempotency key was bound before. Headroom of its tenant
--          has been taken; that of a task with an affinity key submit_drafts takes.
-- Errors:  as submit.
create or replace function sluice.check_in_full(
  p_draft sluice.task_draft, p_id bigint, p_name text, p_routed boolean, p_limited boolean,
  p_bounded boolean, p_now timestamptz) returns bigint
language plpgsql volatile
as $$
declare
  v_gate sluice.gate;
  v_bound bigint;
  v_limits sluice.tenant_limits;
begin
  select * into v_gate from sluice.gate;
  perform sluice.check_task(p_draft.prompt, p_draft.request, p_draft.priority, p_draft.max_attempts,
    p_draft.max_output_tokens, p_draft.metadata, p_draft.tenant, p_draft.idempotency_key,
    p_draft.traceparent, p_draft.deadline, v_gate.request_bytes_max, p_now);
  if v_gate.is_guarded and sluice.is_guarded() then
    perform sluice.require_tenant(p_draft.tenant);
  end if;
  if p_bounded then
    v_limits := (select l from sluice.limits_of(p_draft.tenant) l);
  end if;
  -- Before the default and the limits count: a repeat finds its task, whatever has become of them.
  perform sluice.check_affinity_key(p_draft.affinity_key), sluice.check_times(p_draft.run_at,
    p_draft.deadline, p_draft.tenant, p_draft.idempotency_key);
  if p_draft.idempotency_key is not null then
    v_bound := sluice.keep_key(p_draft.tenant, p_draft.idempotency_key, sluice.content_sha256(
      p_draft.model, p_draft.prompt, p_draft.request, p_draft.max_output_tokens,
      p_draft.schema_version), p_id);
    if v_bound <> p_id then
      return v_bound;
    end if;
  end if;
  if v_limits.max_priority < p_draft.priority or p_name <> all (v_limits.models) then
    perform sluice.refuse_excess(p_draft.tenant, p_draft.priority, p_name);
  end if;
  if p_draft.request is not null and v_limits.models is not null then
    perform sluice.refuse_model_list(p_draft.tenant, v_limits, p_draft.request);
  end if;
  if p_draft.schema_version is not null then
    perform sluice.check_payload(p_name, p_draft.schema_version, p_draft.prompt, p_draft.request,
      sluice.payload_steps_max());
  end if;
  if p_routed then
    perform sluice.route_api(p_name, p_draft.request is not null);
  end if;
  if p_limited or v_limits.tpm is not null then
    perform sluice.check_fits(p_name, p_draft.tenant,
      octet_length(coalesce(p_draft.prompt, p_draft.request)), p_draft.max_output_tokens);
  end if;
  if p_bounded and p_draft.affinity_key is null then
    perform sluice.note_tenants(array[p_draft.tenant]) where not v_limits.is_listed;
    if v_limits.is_full then
      perform sluice.refuse_full_tenant(p_draft.tenant);
    elsif v_limits.max_unfinished is not null then
      perform sluice.accept('tenant', p_draft.tenant, 1, v_limits.max_unfinished, 1, p_now);
    end if;
  end if;
  return p_id;
end
$$;

-- submit: accepts one task. Call it inside a transaction of your own if you like: the task exists
-- when that commits, and is undone with it.
-- Params:  prompt: the text that the model is to answer; request: instead of prompt: a JSON object
--          that is sent to the backend as it is, but for the model's name; model: the name of a
--          model or route (null: settings.default_model); priority: -100 to 100, higher first;
--          tenant: whose task it is, 1 to 200 characters; run_at: not before this time (null: at
--          once); deadline: after run_at; it expires if it still waits then (null: never);
--          idempotency_key: 1 to 1,000 characters; a repeat with the same key and content returns
--          the first task's id; max_attempts: 1 to 100 charged calls (null: the model's);
--          max_output_tokens: the longest answer, in tokens (null: the model's own limit);
--          metadata: a JSON object of at most 64 KiB, for your own use; batch_id: a number of yours
--          that tasks have in common; traceparent: a W3C trace context, sent with its calls;
--          schema_version: of its payload, one that sluice.payload_schema has for the model or
--          route: only workers that serve it get the task, and the payload must be as its schema
--          says (null: none, for any worker); affinity_key: 1 to 200 characters; tasks of a route
--          with the same key go to the same model, as long as it can be called (null: to any).
-- Returns: the task's id; with an idempotency key used before, the first task's id.
-- Errors:  SL001 no such model or route; SL002 it needs more tokens than tpm allows in a minute;
--          SL003 the model, route or system is full for now; SL004 an invalid argument; SL005 the
--          tenant is at a limit; SL007 the text is larger than settings.request_bytes_max; SL008
--          the key was used with other content; SL009 not this caller's tenant, or the tenant may
--          not use the model.
--
-- Places:  the line of its model or route, where any claim finds it; sluice.later, if its run_at is
--          to come or waits_for_commit says so. Bounds are checked by gauges, which are sequences:
--          counting would halve the rate of submits.
-- Each transaction sets up every operator and function of an expression anew, for 2,500
-- instructions; an if costs 1,500, a statement 15,000. Seldom used checks therefore share one if.
-- D-022 and D-023 say where the instructions go.
create or replace function sluice.submit(
  prompt text default null, model text default null, priority int default 0,
  tenant text default 'default', run_at timestamptz default null,
  deadline timestamptz default null, idempotency_key text default null,
  max_attempts int default null, request text default null, max_output_tokens int default null,
  metadata jsonb default null, batch_id bigint default null, traceparent text default null,
  schema_version text default null, affinity_key text default null,
  p_now timestamptz default null) returns bigint
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
#variable_conflict use_column
declare
  v_now timestamptz := clock_timestamp();
  v_id bigint;
  v_bytes int := octet_length(coalesce(submit.prompt, submit.request));
  v_draft sluice.task_draft;
  v_bound bigint;
  -- not the caller's collation, which might take other names for equal
  v_name text collate "default" := submit.model;
  v_route text collate "default";
  v_line record;      -- the model, or the route's line for prompts
  v_gate record;
  v_full_at bigint;
  v_later boolean;
  v_api text;
  v_add text;
begin
  if p_now is not null or v_name is null then
    v_now := case when p_now is null then v_now else sluice.now_for(p_now) end;
    v_name := coalesce(v_name, sluice.default_model());
  end if;
  -- twin: notify_ready (change all alike)
  -- awake: nobody sleeps with the line's lock, and until this transaction ends nobody can. Two
  -- statements, for their join costs more.
  select m.id as model, m.id as line, m.max_queue, m.max_unfinished, m.tpm is not null as limited,
    format('call sluice.add_plain_%s($1)', m.id) as call,
      pg_try_advisory_xact_lock_shared(sluice.sleeper_class(), m.id % 64) as awake
  into v_line from sluice.models m where m.name = v_name;
  if v_line.model is null then
    v_route := v_name;
    select null::int as model, -l.n as line, null::int as max_queue, null::bigint as max_unfinished,
      r.route is null or g.limits_tokens as limited,
      format('call sluice.add_plain_route_%s($1)', l.n) as call,
        pg_try_advisory_xact_lock_shared(sluice.sleeper_class(), l.n % 64) as awake
    into v_line from sluice.gate g left join sluice.route_line l on l.route = v_route
      and l.api is null and l.version is null and l.model is null
    left join lateral (select r.route from sluice.routes r where r.route = v_route limit 1) r
      on true;
  end if;
  -- id: drawn in the statement that reads server_started. Between two statements another session
  -- could note that the server was promoted (note_server): the id would be one that first_new_id
  -- leaves out, and on_known_server would be true all the same;
  -- known: the tenant's name is good, and it has no limits (false: a note would say so);
  -- on_known_server: first_new_id need not be asked; look_from: before it the system has headroom,
  -- models without a bound of their own with it, and partitions; no_notify: nobody need be told, as
  -- notify_ready would find.
  select nextval('sluice.task_id') as id, submit.tenant collate "default" = any (g.noted) as known,
    coalesce(submit.schema_version, submit.affinity_key) is null
      and not (g.is_guarded or v_line.limited)
      and sluice.is_plain(v_bytes, submit.request, submit.priority,
        submit.max_attempts, submit.max_output_tokens,
        submit.metadata, submit.idempotency_key, submit.traceparent, submit.deadline,
          g.request_bytes_max) as plain,
    g.server_started = pg_postmaster_start_time() as on_known_server, g.look_from,
    submit.run_at is null and v_line.max_unfinished is null and v_line.max_queue is null
      and (v_route is null or not g.bounds_models) as usual,
    v_line.awake and current_setting('transaction_isolation') = 'read committed'
      and exists (select from sluice.ready_line where line = v_line.line) as no_notify
  into v_gate from sluice.gate g;
  if v_gate.known and v_gate.plain and v_gate.on_known_server and v_gate.id < v_gate.look_from
    and v_gate.usual and v_gate.no_notify then
    -- a line that is noted as ready is there: what deletes it takes its note away
    execute v_line.call using row(v_gate.id, v_now, submit.batch_id, v_line.model,
      submit.priority, v_route, submit.tenant, submit.prompt, v_bytes)::sluice.plain_submission;
    return v_gate.id;
  end if;
  v_id := v_gate.id;
  if not v_gate.on_known_server and v_id < sluice.first_new_id() then
    v_id := nextval('sluice.task_id');  -- the server was promoted just now
  end if;
  if v_gate.known is false then
    v_gate.known := exists (select from sluice.unlisted_tenant u
      where u.tenant = submit.tenant collate "default");
  end if;
  if (v_gate.known and v_gate.plain) is not true then
    v_draft := row(submit.prompt, submit.model, submit.priority, submit.tenant, submit.run_at,
      submit.deadline, submit.idempotency_key, submit.max_attempts, submit.request,
      submit.max_output_tokens, submit.metadata, submit.batch_id, submit.traceparent,
      submit.schema_version, submit.affinity_key);
    v_bound := sluice.check_in_full(v_draft, v_id, v_name, v_line.model is null, v_line.limited,
      v_gate.known is not true, v_now);
    if v_bound <> v_id then
      return v_bound;
    -- a key's line depends on more than this one knows; bounds of requests are kept there
    elsif submit.affinity_key is not null or submit.request is not null and sluice.has_budgets()
      then
      v_draft.idempotency_key := null;  -- it is bound already
      perform sluice.require_range(v_id),
        sluice.submit_drafts(array[v_draft], array[v_id], null, 1, v_now);
      return v_id;
    elsif submit.schema_version is not null or v_route is not null and submit.request is not null
      then
      v_api := case when v_route is not null then sluice.route_api(v_route,
        submit.request is not null) end;
      v_line.line := sluice.line_of(v_line.model, v_route, v_api, submit.schema_version, null);
      perform sluice.hold_line(l) from unnest(array[v_line.model, v_line.line]) l
        where submit.schema_version is not null and l is not null;
      perform sluice.accept('model', v_line.model::text, 1, null, 1, v_now)
      where v_line.line < 0 and v_line.max_unfinished is not null;
      v_gate.no_notify := false;  -- that is another line
    end if;
  end if;
  if not v_gate.on_known_server or v_id >= v_gate.look_from then
    perform sluice.require_range(v_id);
    perform sluice.accept('system', null, 1, g.max_unfinished, 1, v_now) from sluice.gate g
      where v_id >= g.full_at;
    perform sluice.accept('model', v_line.model::text, 1, null, 1, v_now)
    where found and v_line.model is not null and v_line.max_unfinished is null;
  end if;
  v_later := submit.run_at > v_now or sluice.waits_for_commit(1);
  if v_line.max_unfinished is not null then
    v_full_at := ceil(sluice.overflow_share() * v_line.max_unfinished);
  elsif v_route is not null and (select g.bounds_models from sluice.gate g) then
    v_line.max_queue := sluice.accept_for_route(v_route, 1, 1, v_now);
  end if;
  v_add := 'sluice.add_' || sluice.line_name(v_line.line);
  if to_regproc(v_add) is null then
    perform sluice.refuse_deleted();
  end if;
  if submit.deadline is not null and v_later is not true then
    perform sluice.note_deadlines(v_line.line, submit.deadline, submit.deadline);
  end if;
  execute 'call ' || v_add || '($1)' using row(v_id, v_now, submit.run_at, submit.deadline,
    submit.batch_id, v_line.model, submit.max_output_tokens, submit.priority, submit.max_attempts,
    v_route, v_api, submit.tenant, submit.traceparent, submit.metadata, submit.prompt,
    submit.request, v_later, v_bytes, v_full_at, v_line.max_queue)::sluice.submission;
  if v_gate.no_notify is not true then
    perform sluice.notify_ready(v_line.line);
  end if;
  return v_id;
end
$$;
