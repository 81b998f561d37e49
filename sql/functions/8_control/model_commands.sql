-- Close, pause and resume a model.

-- close_model: closes a model for the whole fleet until a time: meanwhile nothing is claimed for
-- it, and nothing is lost.
-- Params:  model: its name; until: the past, or null, opens it; infinity parks it until somebody
--          opens it; reason: shown in sluice.queues and by explain to all who may wait for it.
-- Errors:  SL001 no such model.
create or replace function sluice.close_model(
  model text, until timestamptz, reason text default null)
returns void
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
begin
  perform sluice.require_model(model);
  perform set_config('sluice.closed_by', 'person', true);  -- close_until takes it back
  perform sluice.close_until(model, until, reason, null);
  perform sluice.note_audit('close_model', model,
    jsonb_build_object('until', until, 'reason', reason));
end
$$;

-- pause: stops claims for a model until sluice.resume; running calls end normally. The same as
-- update sluice.models set paused = true.
-- Params:  model: its name.
-- Errors:  SL001 no such model.
create or replace function sluice.pause(model text) returns void
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
begin
  perform sluice.require_model(model);
  update sluice.models set paused = true where name = pause.model and not paused;
  perform sluice.note_audit('pause', model);
end
$$;

-- resume: ends a model's pause and closure. Workers hear of it at once.
-- Params:  model: its name.
-- Errors:  SL001 no such model.
create or replace function sluice.resume(model text) returns void
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
begin
  perform sluice.require_model(model);
  update sluice.models set paused = false, closed_until = null, closed_reason = null,
    closed_detail = null
  where name = resume.model and (paused or closed_until is not null);
  perform sluice.note_audit('resume', model);
end
$$;
