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
    raise exception '"%" speaks %, not %', p_name, v_api, p_api using errcode = 'SL001',
      hint = 'Name another model, or send a prompt to /v1/tasks, which every model takes.';
  end if;
end
$$;

-- completion: how a task ended.
-- Params:  as_chunk: the response as the one chunk of a stream.
-- Returns: no row before its end; http_status: the backend's last.
create or replace function sluice.completion(id bigint, as_chunk boolean)
returns table (status text, http_status int, response text, error_code text, error text)
language plpgsql stable security definer
set search_path = sluice, pg_temp
as $$
#variable_conflict use_column
begin
  return query
  select r.status, r.http_status::int, case when as_chunk then sluice.chat_chunk(r.response) else r.response end,
    r.error_code, r.error
  from sluice.result r where r.task_id = completion.id;
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
