-- What closes a model, and what is said of it: its secret, its bill, a limit, refusals of several
-- tasks in a row (closures_by_refusals.sql).

-- keeps_response: whether the backend's verbatim reply is stored beside the answer. Of api solve
-- the answer is the reply.
create or replace function sluice.keeps_response(p_model sluice.models) returns boolean
language sql immutable parallel safe
as $$ select coalesce(p_model.keep_response, p_model.api <> 'solve') $$;

-- parked_for: why a model is parked, by its closed_reason: credential, billing, refused, or by
-- hand. For log and history, where what somebody wrote there has no place.
create or replace function sluice.parked_for(p_reason text) returns text
language sql immutable parallel safe
as $$ select coalesce(substring(p_reason from '^(credential|billing|refused): '), 'by hand') $$;

-- was_parked_by_calls: whether p_model is parked for what a backend answered, not by somebody who
-- said so.
create or replace function sluice.was_parked_by_calls(p_model sluice.models) returns boolean
language sql immutable
as $$ select coalesce(p_model.closed_until = 'infinity', false)
  and sluice.parked_for(p_model.closed_reason) <> 'by hand' $$;

-- closure_reason: why a call closed its model, as everybody may read it. Made of words and figures
-- of ours: whatever a backend says, its error's code included, may quote another tenant's prompt,
-- and a worker's text names a secret.
-- Params:  p_cause: credential, billing, refused or throttled; p_http_status: null: nothing was
--          sent.
create or replace function sluice.closure_reason(p_cause text, p_http_status int) returns text
language sql immutable parallel safe
as $$
  select p_cause || coalesce(': HTTP ' || p_http_status,
    case p_cause when 'credential' then ': its secret cannot be read' else '' end)
$$;

-- close_until: writes a model's closing time, if that moves it by a second or more: a storm of
-- throttled calls must not update the row that every submit reads.
-- Params:  p_reason: shown to everybody; p_detail: to administrators in its place (null: the reason
--          to them, too).
create or replace function sluice.close_until(
  p_model text, p_until timestamptz, p_reason text, p_detail text)
returns void
language sql volatile
as $$
  update sluice.models set closed_until = p_until, closed_reason = left(p_reason, 500),
    closed_detail = left(p_detail, 500)
  where name = p_model
    and case when closed_until is null or p_until is null or not isfinite(closed_until)
      or not isfinite(p_until)
        then closed_until is distinct from p_until
        else abs(extract(epoch from p_until - closed_until)) >= 1
          -- Opening and closing are never small, however short the closure.
          or (closed_until <= clock_timestamp()) <> (p_until <= clock_timestamp()) end
$$;
