-- The conditions of cancel_all, redrive_all and forget_all: a task must meet all that are given. A
-- null is no condition.

-- task_filter_of: the conditions of one such call, about tasks of the caller's tenants; p_name is a
-- model's name or, if there is no such model, a route's.
create or replace function sluice.task_filter_of(
  p_name text, p_tenant text, p_metadata jsonb, p_batch_id bigint, p_since timestamptz,
  p_until timestamptz, p_error_like text default null,
  p_error_code text default null) returns sluice.task_filter
language plpgsql stable
as $$
declare
  v_filter sluice.task_filter;
begin
  select s.bound, s.tenants into v_filter.is_bound, v_filter.tenants from sluice.caller_scope() s;
  v_filter.name := p_name;
  v_filter.model := (select id from sluice.models where name = p_name);
  v_filter.route := case when v_filter.model is null then p_name end;
  v_filter.tenant := p_tenant;
  v_filter.metadata := p_metadata;
  v_filter.batch_id := p_batch_id;
  v_filter.since := p_since;
  v_filter.until := p_until;
  v_filter.error_like := p_error_like;
  v_filter.error_code := p_error_code;
  return v_filter;
end
$$;

-- check_filter: refuses a call without a condition, for another tenant, or with an unknown name: a
-- mistyped name must not look like "no tasks". (Results of a deleted model are reached by the other
-- conditions: knowing its name would take a walk over them.)
-- Params:  p_function: the caller; p_may_be_all: without any condition the call means all tasks.
--          Metadata {} is not a condition, and does not mean all.
-- Errors:  SL001 unknown model or route; SL004 no condition at all, or one that would take long;
--          SL009 not this caller's tenant.
create or replace function sluice.check_filter(
  p_filter sluice.task_filter, p_function text, p_may_be_all boolean default false)
returns void
language plpgsql stable
as $$
begin
  if num_nonnulls(p_filter.name, p_filter.tenant, nullif(p_filter.metadata, '{}'),
    p_filter.batch_id, p_filter.since, p_filter.until,
      p_filter.error_like, p_filter.error_code) = 0
        and not (p_may_be_all and p_filter.metadata is null) then
    raise exception '% without any condition would concern every task', p_function
      using errcode = 'SL004',
      hint = 'Give at least one of model, tenant, metadata, batch_id, since and until.';
  end if;
  perform sluice.check_condition(p_filter.metadata);
  if length(p_filter.error_like) > sluice.condition_bytes_max() then
    raise exception 'error_like has more than % characters', sluice.condition_bytes_max()
      using errcode = 'SL004',
      column = 'error_like',
        hint = 'It is a pattern of SQL''s LIKE, such as "%timeout%"; '
               'an error has at most 1,000 bytes.';
  end if;
  -- LIKE refuses this only where a text matches what stands before: whose it is would not matter.
  if (length(p_filter.error_like) - length(rtrim(p_filter.error_like, chr(92)))) % 2 = 1 then
    raise exception 'error_like ends with an escape character' using errcode = 'SL004',
      column = 'error_like', hint = 'Write a backslash that is meant itself twice.';
  end if;
  if p_filter.tenant is not null then
    perform sluice.require_tenant(p_filter.tenant);
  end if;
  if p_filter.route is not null
    and not exists (select from sluice.routes where route = p_filter.route) then
    perform sluice.refuse_unknown(p_filter.route);
  end if;
end
$$;

-- condition_bytes_max: the bytes of a condition's metadata, and of an error's pattern, since each
-- is compared with every task in question.
create or replace function sluice.condition_bytes_max() returns int
language sql immutable parallel safe
as $$ select 1024 $$;

-- check_condition: SL004 for metadata that takes long to compare with a task's. Keys are looked up,
-- but each element of an array is compared with every element: for one row, of 64 KiB beside as
-- many, 2 s.
create or replace function sluice.check_condition(p_metadata jsonb) returns void
language plpgsql stable
as $$
declare
  v_fault text;
begin
  if jsonb_typeof(p_metadata) <> 'object' then
    v_fault := format('metadata is a JSON %s, not an object', jsonb_typeof(p_metadata));
  elsif not sluice.is_small_json(p_metadata, 65536) then
    v_fault := 'metadata has more than 64 KiB, or a number of more than 400 digits';
  elsif octet_length(p_metadata::text) > sluice.condition_bytes_max() then
    v_fault := format('metadata has more than %s bytes', sluice.condition_bytes_max());
  elsif jsonb_path_exists(p_metadata, 'strict $.** ? (@.type() == "array")') then
    v_fault := 'metadata has an array';
  end if;
  if v_fault is not null then
    raise exception '%', v_fault using errcode = 'SL004', column = 'metadata',
      hint = format('As a condition it is an object without arrays, of at most %s bytes, '
                    'such as {"team": "search"}.',
        sluice.condition_bytes_max());
  end if;
end
$$;

-- is_meant: whether a task meets the conditions that do not depend on its place. p_at is compared
-- with since and until: when it ended or, for an unfinished task, when it was submitted. One
-- expression, so that it can be inlined.
create or replace function sluice.is_meant(
  p_filter sluice.task_filter, p_task sluice.task, p_at timestamptz)
returns boolean
language sql immutable parallel safe
as $$
  select (p_filter.tenant is null or p_task.tenant = p_filter.tenant)
    and (p_filter.batch_id is null or p_task.batch_id = p_filter.batch_id)
    and (p_filter.since is null or p_at >= p_filter.since)
    and (p_filter.until is null or p_at < p_filter.until)
    and (p_filter.metadata is null or p_task.metadata @> p_filter.metadata)
    and (p_filter.not_priority is null or p_task.priority <> p_filter.not_priority)
    and (p_filter.not_model is null or p_task.model is distinct from p_filter.not_model)
    and (p_filter.not_route is null or p_task.route is distinct from p_filter.not_route)
$$;

-- is_served: whether the model or route that a task named still exists.
create or replace function sluice.is_served(p_model int, p_route text) returns boolean
language plpgsql stable
as $$
begin
  return case when p_route is null then exists (select from sluice.models where id = p_model)
              else exists (select from sluice.routes where route = p_route) end;
end
$$;

-- end_is_meant: is_meant for a finished task that was not forgotten, of the tenants in question,
-- also with its model (which it named, was routed to or ended at) and its error.
-- Params:  p_unsolved: only one that is not solved and, unless it gets another target, is served.
create or replace function sluice.end_is_meant(
  p_filter sluice.task_filter, p_task sluice.task, p_result sluice.result, p_unsolved boolean)
returns boolean
language sql stable
as $$
  select (p_task.tenant = any (p_filter.tenants)) = p_filter.is_bound
    and p_task.forgotten_at is null and sluice.is_meant(p_filter, p_task, p_result.finished_at)
    and (p_filter.name is null or p_task.model = p_filter.model or p_task.route = p_filter.route
      or p_result.model = p_filter.name)
    and (p_filter.error_code is null or p_result.error_code = p_filter.error_code)
    and (p_filter.error_like is null or p_result.error like p_filter.error_like)
    and (p_filter.status is null or p_result.status = p_filter.status)
    and (p_filter.message is null
      or sluice.normal_message(p_result.error) = p_filter.message)
    and (not p_unsolved or p_result.status <> 'solved'
      and (p_filter.is_retargeted or sluice.is_served(p_task.model, p_task.route)))
$$;
