-- How a model is closed, and the reason that is shown: for its secret, its bill, a limit, or
-- refusals of several tasks in a row (closures_by_refusals.sql).

-- keeps_response: whether the backend's verbatim reply is stored beside the answer. With api solve
-- the answer is the reply.
create or replace function sluice.keeps_response(p_model sluice.models) returns boolean
language sql immutable parallel safe
as $$ select coalesce(p_model.keep_response, p_model.api <> 'solve') $$;

-- parked_for: why a model is parked, by its closed_reason: credential, billing, refused, or by
-- hand. For log and history, which do not repeat a text that somebody wrote there.
create or replace function sluice.parked_for(p_reason text) returns text
language sql immutable parallel safe
set search_path = sluice, pg_temp
as $$ select coalesce(substring(p_reason from '^(credential|billing|refused): '), 'by hand') $$;

-- was_parked_by_calls: whether p_model was parked because of a backend's answer, and not by a
-- person.
create or replace function sluice.was_parked_by_calls(p_model sluice.models) returns boolean
language sql immutable
as $$ select coalesce(p_model.closed_until = 'infinity', false)
  and sluice.parked_for(p_model.closed_reason) <> 'by hand' $$;

-- closure_reason: why a call closed its model, as everybody may read it. It consists only of our
-- own words and numbers, because anything from a backend, even its error code, may quote another
-- tenant's prompt, and a worker's text names a secret.
-- Params:  p_cause: credential, billing, refused or throttled; p_http_status: null: nothing was
--          sent.
create or replace function sluice.closure_reason(p_cause text, p_http_status int) returns text
language sql immutable parallel safe
as $$
  select p_cause || coalesce(': HTTP ' || p_http_status,
    case p_cause when 'credential' then ': its secret cannot be read' else '' end)
$$;

-- close_until: sets a model's closing time, if that moves it by a second or more: a burst of
-- throttled calls must not update again and again the row that every submit reads. It is a worker's
-- doing, and no revision of the configuration, unless the setting sluice.closed_by says that it is
-- a person's.
-- Params:  p_reason: shown to everybody; p_detail: shown to administrators instead (null: the
--          reason).
create or replace function sluice.close_until(
  p_model text, p_until timestamptz, p_reason text, p_detail text)
returns void
language plpgsql volatile
as $$
declare
  v_closed_by text := coalesce(nullif(current_setting('sluice.closed_by', true), ''), 'worker');
begin
  perform set_config('sluice.closed_by', v_closed_by, true);
  update sluice.models set closed_until = p_until, closed_reason = left(p_reason, 500),
    closed_detail = left(p_detail, 500)
  where name = p_model
    and case when closed_until is null or p_until is null or not isfinite(closed_until)
      or not isfinite(p_until)
        then closed_until is distinct from p_until
        else abs(extract(epoch from p_until - closed_until)) >= 1
          -- Opening and closing are never small, however short the closure.
          or (closed_until <= clock_timestamp()) <> (p_until <= clock_timestamp()) end;
  perform set_config('sluice.closed_by', '', true);
end
$$;
