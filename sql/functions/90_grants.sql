-- Who may do what. Nothing is executable by PUBLIC; internal functions by nobody but their owner, through the public
-- ones, which are SECURITY DEFINER with a pinned search_path.
revoke all on all functions in schema sluice from public;
alter default privileges for role sluice_owner revoke execute on functions from public;
grant usage on schema sluice to sluice_worker, sluice_submitter, sluice_reader, sluice_admin;

grant execute on function
  sluice.register_worker(text, int, text[], text, timestamptz), sluice.worker_speaks(bigint, text[]),
  sluice.heartbeat(bigint, timestamptz),
  sluice.claim(bigint, text[], int, timestamptz), sluice.requests(bigint, bigint[]), sluice.held_leases(bigint),
  sluice.complete(bigint, sluice.outcome[], timestamptz), sluice.unregister_worker(bigint, timestamptz),
  sluice.admit(text, int, timestamptz), sluice.recover(bigint, timestamptz), sluice.sweep(timestamptz),
  sluice.retain(timestamptz),
  sluice.take_watch(bigint), sluice.drop_watch(bigint, boolean), sluice.take_bells(bigint, int[], timestamptz),
  sluice.drop_bells(int[]), sluice.unfinished(bigint), sluice.next_permit_at(text, timestamptz)
to sluice_worker, sluice_admin;
grant select on sluice.models, sluice.settings, sluice.migration to sluice_worker;

grant execute on function
  sluice.submit(text, text, int, text, timestamptz, timestamptz, text, int, text, int, jsonb, bigint, text, timestamptz),
  sluice.submit_many(jsonb, timestamptz), sluice.cancel(bigint, timestamptz),
  sluice.cancel_all(text, text, jsonb, bigint, timestamptz), sluice.redrive(bigint, timestamptz),
  sluice.forget(bigint, timestamptz)
to sluice_submitter, sluice_admin;

grant execute on function sluice.task(bigint), sluice.queue_facts(timestamptz), sluice.next_permit_at(text, timestamptz)
to sluice_reader, sluice_submitter, sluice_admin;
grant execute on function sluice.permit_interval_ns(sluice.models), sluice.permit_burst(sluice.models),
  sluice.send_allowance_ms()
to sluice_reader, sluice_admin, sluice_worker;
-- Every command of the binary looks at the schema's version first.
grant select on sluice.migration to sluice_submitter;
-- Listings page by id in the place that holds the status before they read the view.
grant select (id) on sluice.task to sluice_reader, sluice_admin;
grant select (task_id, model) on sluice.backlog to sluice_reader, sluice_admin;
grant select (task_id) on sluice.queue, sluice.lease to sluice_reader, sluice_admin;
grant select (task_id, status) on sluice.result to sluice_reader, sluice_admin;
grant select on sluice.tasks, sluice.queues, sluice.workers, sluice.dead_letters, sluice.attempts, sluice.migration
to sluice_reader, sluice_admin;
grant select on sluice.models, sluice.routes to sluice_reader;

grant execute on function sluice.pause(text), sluice.resume(text), sluice.close_model(text, timestamptz, text),
  sluice.redrive_all(text, text, timestamptz), sluice.tick(timestamptz)
to sluice_admin;
grant select, insert, update, delete on sluice.models, sluice.routes, sluice.tenants to sluice_admin;
grant select, update on sluice.settings to sluice_admin;
grant usage on sequence sluice.models_id_seq to sluice_admin;
