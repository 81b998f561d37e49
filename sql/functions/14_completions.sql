-- Completions: tasks whose client waits for the model's own answer, in the model's own form.

-- require_api: the model, or all models of the route, must speak this API: the client's body is of its form.
-- Errors:  SL001 another one. A name that is unknown is left to submit.
create or replace function sluice.require_api(p_name text, p_api text) returns void
language plpgsql stable
as $$
declare
  v_api text := (
    select min(m.api) from sluice.models m
    where m.api <> p_api and (m.name = p_name or m.name in (select r.model from sluice.routes r where r.route = p_name)));
begin
  if v_api is not null then
    raise exception '"%" speaks %, not %', left(p_name, 200), v_api, p_api using errcode = 'SL001', column = 'model',
      hint = 'Name another model, or send a prompt to /v1/tasks, which every model takes.';
  end if;
end
$$;

-- completion: how a task ended.
-- Returns: no row before its end; http_status: the backend's last; response: its body.
create or replace function sluice.completion(id bigint)
returns table (status text, http_status int, response text, error_code text, error text)
language plpgsql stable security definer
set search_path = sluice, pg_temp
as $$
#variable_conflict use_column
begin
  return query
  select r.status, r.http_status::int, r.response, r.error_code, r.error
  from sluice.result r where r.task_id = completion.id;
end
$$;

-- rate_limit_headers: what is left of the limits of the model that answered, in OpenAI's words.
-- Params:  id: the task's.
-- Returns: lines such as "x-ratelimit-remaining-requests: 7"; those of limits that the model has. requests: calls that could begin now, of
--          rpm; tokens: those that the last minute has left, of tpm; reset: until all of it is there again.
create or replace function sluice.rate_limit_headers(id bigint, p_now timestamptz default null) returns text
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
#variable_conflict use_column
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
  v_model sluice.models := (
    select m from sluice.result r join sluice.models m on m.name = r.model where r.task_id = rate_limit_headers.id);
begin
  return concat(
    sluice.rate_limit_lines('requests', v_model.rpm, sluice.request_quota(v_model), v_now),
    sluice.rate_limit_lines('tokens', v_model.tpm, sluice.token_quota(v_model), v_now));
end
$$;

-- rate_limit_lines: the three lines of one limit; empty where there is none.
create or replace function sluice.rate_limit_lines(p_name text, p_limit int, p_quota sluice.quota, p_now timestamptz) returns text
language plpgsql volatile
as $$
begin
  return case when p_limit is null then '' else format(
    E'x-ratelimit-limit-%1$s: %2$s\nx-ratelimit-remaining-%1$s: %3$s\nx-ratelimit-reset-%1$s: %4$sms\n', p_name, p_limit,
    greatest(0, least(p_limit, sluice.permits_now(p_quota, p_now))),
    (sluice.bucket(p_quota, p_now) - sluice.micros(p_now) * 1000) / 1000000) end;
end
$$;

-- chat_chunk: an OpenAI chat completion as the only chunk of its stream.
-- Returns: one line of JSON; null when it is no completion.
create or replace function sluice.chat_chunk(p_response text) returns text
language plpgsql immutable
as $$
declare
  v_body jsonb;
begin
  v_body := p_response;
  return v_body || jsonb_build_object('object', 'chat.completion.chunk', 'choices', (
    select coalesce(jsonb_agg(c.choice - 'message' || jsonb_build_object('delta', c.choice -> 'message' ||
      case when c.choice #> '{message,tool_calls,0}' is null then '{}' else jsonb_build_object('tool_calls', (
        select jsonb_agg(jsonb_build_object('index', t.n - 1) || t.call order by t.n)
        from jsonb_array_elements(c.choice #> '{message,tool_calls}') with ordinality t(call, n))) end) order by c.n), '[]')
    from jsonb_array_elements(v_body -> 'choices') with ordinality c(choice, n)));
exception when data_exception or statement_too_complex then
  return null;
end
$$;
