-- ring: wakes a worker for a model if one sleeps; called by whatever makes a task ready.
-- A sleeper holds the model's bell exclusively; a ringer tries to share it. Success: nobody sleeps, nothing to do
-- (and until this transaction ends nobody can fall asleep on that bell). Failure: somebody sleeps, so notify.
-- A transaction that notifies holds a cluster-wide lock through its commit. Measured, 32 clients: 28-32k/s bare,
-- 6-8k/s with NOTIFY in each, bare speed with bells.
-- 64 bells (a bell per model would exhaust the lock table); false rings are harmless.
-- Params:  p_model: model id. Requires a connection that holds no bell itself.
create or replace function sluice.ring(p_model int) returns void
language plpgsql volatile
as $$
begin
  if not pg_try_advisory_xact_lock_shared(sluice.lock_class('bell'), p_model % 64) then
    perform pg_notify('sluice_work', p_model::text);
  end if;
end
$$;

-- ring_line: rings for every model that a line feeds.
create or replace function sluice.ring_line(p_line text) returns void
language plpgsql volatile
as $$
begin
  perform sluice.ring(m.id) from sluice.models m
  where p_line in ('queue_' || m.id, 'backlog_' || m.id)
     or exists (select from sluice.routes r where r.model = m.name and p_line = 'route_' || r.route);
end
$$;
