-- Rights. Nothing is executable by PUBLIC. Internal functions are executable only by their owner,
-- through the public functions, which are SECURITY DEFINER with a pinned search_path. Nobody but
-- the owner has a grant on a table, except for the four that administrators configure with plain
-- SQL, and the list of migrations, which every command reads first. Each grant begins its line:
-- `sluice migrate --without-roles` leaves out those that name a role. pgtap/grants holds the same
-- list as a table and compares it with the catalog.
revoke all on all routines in schema sluice from public;
alter default privileges revoke execute on routines from public;
grant usage on schema sluice to sluice_worker, sluice_submitter, sluice_reader, sluice_admin;
grant select on sluice.migration to sluice_worker, sluice_submitter, sluice_reader, sluice_admin;

grant execute on function
  sluice.register_worker(text, int, text[], text, timestamptz),
    sluice.worker_speaks(bigint, text[]), sluice.serve_versions(bigint, text[]),
  sluice.configuration(text[]), sluice.parked_for(text),
  sluice.heartbeat(bigint, timestamptz), sluice.fall_asleep(bigint, timestamptz),
    sluice.claim(bigint, text[], int, timestamptz),
  sluice.claim_within(bigint, text[], int[], int, timestamptz),
    sluice.claim_urgent(bigint, text[], int, timestamptz),
  sluice.hedge(bigint, bigint, int, timestamptz),
    sluice.hedge_many(bigint, bigint[], int[], timestamptz),
  sluice.requests(bigint, bigint[]), sluice.held_leases(bigint), sluice.retain(timestamptz),
  sluice.keep_history(timestamptz),
  sluice.complete(bigint, sluice.outcome[], timestamptz),
  sluice.complete_with_usage(bigint, sluice.outcome[], sluice.usage[], timestamptz),
  sluice.announce(bigint[]),
  sluice.unregister_worker(bigint, timestamptz), sluice.wake(timestamptz),
  sluice.recover(bigint, timestamptz), sluice.sweep(timestamptz), sluice.warm_up(),
  sluice.become_watcher(bigint), sluice.resign_watcher(bigint, boolean),
    sluice.take_sleeper_locks(bigint, int[], timestamptz),
  sluice.drop_sleeper_locks(int[]), sluice.check_notifications(),
  sluice.unfinished(bigint), sluice.next_permit_at(text, timestamptz),
    sluice.drain_bucket(text, int, bigint, timestamptz),
  sluice.note_clock_jump(interval, timestamptz, timestamptz), sluice.advance_jobs(timestamptz)
to sluice_worker, sluice_admin;

grant execute on function
  sluice.submit(text, text, int, text, timestamptz, timestamptz, text, int, text, int, jsonb,
    bigint, text, text, text, timestamptz),
  sluice.submit_many(jsonb, timestamptz), sluice.cancel(bigint, timestamptz),
  sluice.estimate_many(jsonb, timestamptz), sluice.task_sums(jsonb, timestamptz),
    sluice.estimate_sums(jsonb, timestamptz),
  sluice.cancel_all(text, text, jsonb, bigint, timestamptz, timestamptz, timestamptz),
    sluice.redrive(bigint, timestamptz),
  sluice.forget(bigint, timestamptz),
    sluice.forget_all(text, text, jsonb, bigint, timestamptz, timestamptz, timestamptz),
  sluice.start_job(text, jsonb, boolean, text, int, timestamptz),
    sluice.cancel_job(bigint, timestamptz), sluice.undo_job(bigint, timestamptz)
to sluice_submitter, sluice_admin;
grant execute on function sluice.mend_sequences() to sluice_worker, sluice_admin;

-- Functions about tasks show each caller his own tenants' only; so submitters may call them, too.
grant execute on function sluice.caller_scope(), sluice.guarded(anyelement), sluice.task(bigint),
  sluice.attempts(bigint), sluice.explain(bigint, timestamptz),
  sluice.percentile(int[], double precision), sluice.sparks(timestamptz),
  sluice.history_of(text, timestamptz, timestamptz, text, text, text, timestamptz),
  sluice.history_of_keys(text, timestamptz, timestamptz, text, text, timestamptz),
  sluice.shown_key_name(text, text),
  sluice.newest_ids(text, int, bigint, text), sluice.list_tasks(bigint, bigint, text, text, bigint),
  sluice.find_tasks(text, text, text, bigint, int, timestamptz, timestamptz, text, text, text, text,
    bigint, int), sluice.timeline(bigint),
  sluice.dead_letter_groups(text, text, timestamptz, bigint)
to sluice_submitter, sluice_reader, sluice_admin;
grant select on sluice.tasks, sluice.dead_letters, sluice.attempts, sluice.history,
  sluice.key_history, sluice.jobs to sluice_submitter, sluice_reader, sluice_admin;
grant execute on function sluice.can_undo(sluice.job, timestamptz)
to sluice_submitter, sluice_reader, sluice_admin;

grant execute on function sluice.next_permit_at(text, timestamptz) to sluice_submitter,
  sluice_reader;
grant select on sluice.queues, sluice.workers, sluice.breaker_events,
  sluice.audit_log to sluice_reader, sluice_admin;
grant execute on function sluice.acts_as_administrator(), sluice.shown_reason(text, text),
  sluice.without_secrets(jsonb)
to sluice_reader, sluice_admin;
-- For `sluice doctor`, `sluice status` and `sluice top`.
grant select on sluice.function_set to sluice_reader, sluice_admin;
grant execute on function
  sluice.recent_failures(interval, timestamptz), sluice.recent_ends(interval, timestamptz),
    sluice.call_counts(), sluice.overview(timestamptz), sluice.model_limits(text, timestamptz),
  sluice.workers_wanted(timestamptz), sluice.range_facts(),
  sluice.route_choices(text, timestamptz)
to sluice_reader, sluice_admin;
-- A view calls its functions as its reader.
grant execute on function sluice.queue_facts(timestamptz),
  sluice.queue_facts_of(sluice.models, timestamptz), sluice.routed_shares(),
  sluice.request_quota(sluice.models),
  sluice.quota_of(text, int, int, int, timestamptz), sluice.send_allowance_ms(),
    sluice.pressure(bigint, bigint), sluice.model_state(sluice.models, text, timestamptz),
  sluice.overflow_share(), sluice.critical_share(), sluice.unserved_versions(text, timestamptz)
to sluice_reader, sluice_admin;

grant execute on function sluice.export_columns(), sluice.export_range(bigint, int),
  sluice.export_tasks(bigint, bigint, text, text, text, bigint, jsonb, timestamptz, timestamptz,
    timestamptz, timestamptz, boolean, bigint, text)
to sluice_submitter, sluice_reader, sluice_admin;
grant execute on function sluice.import_tasks(jsonb, text, timestamptz) to sluice_admin;
grant execute on function sluice.pause(text), sluice.resume(text),
  sluice.close_model(text, timestamptz, text),
  sluice.redrive_all(text, text, text, timestamptz, timestamptz, text, jsonb, bigint, timestamptz),
    sluice.tick(timestamptz), sluice.revert(bigint, boolean)
to sluice_admin;
-- For the HTTP front.
grant execute on function
  sluice.submit_each(text[], text[], text[], text[], text[], timestamptz),
    sluice.submit_array(text, text, text, text, text, timestamptz),
  sluice.estimate_array(text, text, text, timestamptz),
    sluice.estimate_batch(text, text, boolean, timestamptz),
  sluice.ended(bigint[]), sluice.parked(bigint[]), sluice.completion(bigint),
    sluice.events_of(text, text),
  sluice.bulk_step(text, text, jsonb, jsonb, timestamptz),
  sluice.post_job(jsonb, text, timestamptz), sluice.show_job(bigint, text),
    sluice.list_jobs(text, bigint, int), sluice.act_on_job(bigint, text, text, timestamptz),
  sluice.queue_gauges(), sluice.fleet_gauges(), sluice.ramp_gauges(),
    sluice.rate_limit_headers(bigint, timestamptz),
  sluice.configure(text, text, jsonb, boolean), sluice.configure_route(text, jsonb),
    sluice.set_prefer(text, text), sluice.configure_fallbacks(text, jsonb),
  sluice.read_record(anyelement, jsonb), sluice.checked_values(text, jsonb),
    sluice.check_durations(text, jsonb), sluice.hidden_columns(),
  sluice.show_overview(timestamptz), sluice.search_tasks(jsonb, text),
  sluice.show_timeline(bigint, text, timestamptz), sluice.read_texts(bigint, text, timestamptz),
  sluice.note_reading(bigint, text), sluice.task_of(bigint, text),
  sluice.show_dead_letter_groups(jsonb, text), sluice.show_audit(bigint, int),
  sluice.show_revisions(text, text, bigint, int), sluice.revert_revision(bigint, boolean),
  sluice.create_key(text, bytea, text, text, text[], timestamptz),
    sluice.revoke_key(text, timestamptz),
  sluice.begin_file(text, text, text, timestamptz), sluice.append_file(bigint, int, int, text),
  sluice.end_file(bigint, interval), sluice.abandon_file(bigint), sluice.show_file(bigint, text),
  sluice.list_files(text, text, bigint, int, boolean), sluice.file_body(bigint, text, int),
    sluice.delete_file(bigint, text),
  sluice.create_batch(text, text, timestamptz),
    sluice.create_message_batch(text, text, timestamptz),
  sluice.create_batch_once(text, text, text, boolean, timestamptz),
  sluice.show_batch(bigint, text, boolean), sluice.list_batches(text, boolean, bigint, bigint, int),
  sluice.cancel_batch(bigint, text, boolean, timestamptz),
    sluice.delete_batch(bigint, text, boolean),
  sluice.batch_results(bigint, text, int), sluice.advance_batches(timestamptz),
  sluice.history_page(text, text, text, text, text, text, text)
to sluice_admin;
grant select on sluice.api_key, sluice.notify_usage, sluice.revisions, sluice.budget_events
to sluice_admin;
grant execute on function sluice.budget_rows(text, timestamptz), sluice.budget_excesses(),
  sluice.budget_failures(text, timestamptz)
  to sluice_admin;
grant execute on function
  sluice.start_ramp(text, text, double precision, int, interval, int, double precision,
    double precision, text, timestamptz),
  sluice.pause_ramp(text, text, timestamptz), sluice.resume_ramp(text, text, timestamptz),
    sluice.stop_ramp(text, text, timestamptz), sluice.ramps(text),
  sluice.start_shadow(text, text, jsonb, text, timestamptz),
    sluice.apply_shadow(bigint, text, timestamptz), sluice.drop_shadow(bigint, text, timestamptz),
  sluice.shadows(bigint), sluice.shadow_hours(bigint)
to sluice_admin;
grant execute on function sluice.set_price(text, jsonb), sluice.price_rows(text),
  sluice.drop_price(text, timestamptz)
to sluice_admin;
grant select, insert, update, delete on sluice.models, sluice.routes,
  sluice.tenants, sluice.payload_schema, sluice.prices, sluice.budgets,
  sluice.fallbacks to sluice_admin;
grant select, update on sluice.settings to sluice_admin;

-- Whoever calls them may have the plans of all statements printed, these functions' too, with
-- estimates that PostgreSQL makes from all tenants' rows. Not of submit, which compares nothing
-- with them: it would be 1 % of its instructions.
do $$
declare
  v_function regprocedure;
begin
  for v_function in
    select p.oid from pg_proc p
    where p.pronamespace = 'sluice'::regnamespace and p.prosecdef and p.proname <> 'submit'
      and exists (select from aclexplode(p.proacl) a
        where a.grantee in (to_regrole('sluice_submitter'), to_regrole('sluice_reader')))
  loop
    execute format('alter function %s set debug_print_plan = off', v_function);
  end loop;
end
$$;
