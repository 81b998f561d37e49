-- What psql and docs/reference/ say of the columns of views. What a view is stands above it, in its
-- file.

comment on column sluice.tasks.id is 'The number that submit returned.';
comment on column sluice.tasks.status is
  'unsolved (waits for its time, or for a budget), queued, processing, solved, failed, cancelled '
  'or expired.';
comment on column sluice.tasks.route is
  'The route that it was submitted to. Null: it named a model.';
comment on column sluice.tasks.model is
  'The model that it named, is called at or ended at. Null: a route''s task that nobody has '
  'claimed.';
comment on column sluice.tasks.tenant is 'Whose task it is.';
comment on column sluice.tasks.priority is '-100 to 100, higher first.';
comment on column sluice.tasks.prompt is
  'The text to answer. Null: it has a request. Empty: it was forgotten.';
comment on column sluice.tasks.request is
  'The verbatim JSON body for the backend. Null: it has a prompt, or was forgotten.';
comment on column sluice.tasks.answer is
  'The model''s text. Null before the end, and unless it was solved.';
comment on column sluice.tasks.response is
  'The backend''s verbatim reply. Null also where the model''s keep_response says so.';
comment on column sluice.tasks.error is 'Why it failed, in words. Null: it did not.';
comment on column sluice.tasks.error_code is
  'Why it failed, for programs, such as http_400 or timeout.';
comment on column sluice.tasks.attempts is
  'Calls that were charged to it so far, the one under way included.';
comment on column sluice.tasks.input_tokens is
  'Of the call that ended it, as its backend counted. Null: not said.';
comment on column sluice.tasks.output_tokens is
  'Of the call that ended it, as its backend counted. Null: not said.';
comment on column sluice.tasks.cost is
  'Of the call that ended it, by the model''s prices when it began, in their currency; 0 if the '
  'model had none, which models.is_priced tells. Null: its tokens are not known.';
comment on column sluice.tasks.metadata is 'As submitted.';
comment on column sluice.tasks.batch_id is 'As submitted.';
comment on column sluice.tasks.created_at is 'When it was submitted.';
comment on column sluice.tasks.queued_at is
  'When it could first be claimed, for its present or last call; while it waits in the order of '
  'prefixes, its turn, up to settings.prefix_wait later.';
comment on column sluice.tasks.started_at is 'When its present or last call was claimed.';
comment on column sluice.tasks.finished_at is 'When it ended. Null: it has not.';
comment on column sluice.tasks.run_at is 'It was not to begin before. Null: at once.';
comment on column sluice.tasks.deadline is 'It expires if it still waits then. Null: never.';
comment on column sluice.tasks.schema_version is
  'The version of its payload, of sluice.payload_schema. Null: none.';
comment on column sluice.tasks.affinity_key is
  'As submitted: a route''s tasks with the same one go to the same model. Null: none.';
comment on column sluice.tasks.cached_tokens is
  'Of input_tokens, those that the provider read from its cache. Null: not said.';
comment on column sluice.tasks.cache_write_tokens is
  'Of input_tokens, those that the provider wrote to its cache. Null: not said.';
comment on column sluice.tasks.reasoning_tokens is
  'Of output_tokens, those of which there is no text. Null: not said.';

comment on column sluice.queues.model is 'The model''s name.';
comment on column sluice.queues.depth is 'Tasks that are ready and named the model.';
comment on column sluice.queues.in_flight is 'Calls of the model that are under way.';
comment on column sluice.queues.unfinished is
  'Tasks that wait or are under way, with the model''s share of its routes'' tasks.';
comment on column sluice.queues.oldest_ready_s is
  'Seconds that the oldest ready task that named it has waited. Null: none waits.';
comment on column sluice.queues.permits_now is 'Calls that could begin now by rpm. Null: no quota.';
comment on column sluice.queues.next_permit_at is
  'When the next call may begin by rpm; the past: now. Null: no quota.';
comment on column sluice.queues.sustained_rpm is
  'Calls a minute that the quota allows in the long run. Null: no quota.';
comment on column sluice.queues.pressure is
  'How near unfinished is to max_unfinished: normal, warning (from 70 %), critical (85 %) or '
  'overflow (95 %: submits are refused).';
comment on column sluice.queues.paused is 'Whether somebody has paused it.';
comment on column sluice.queues.closed_until is
  'Until when it is closed; infinity: until somebody resumes it. Null: open.';
comment on column sluice.queues.closed_reason is 'Why it is closed, as the caller may know it.';
comment on column sluice.queues.breaker is 'closed (all is well), open or half_open.';
comment on column sluice.queues.state is
  'What keeps its calls back: paused, parked, closed, breaker open or half open; open: nothing '
  'does.';
comment on column sluice.queues.state_reason is 'Why it is in that state.';
comment on column sluice.queues.state_until is
  'How long; infinity: until somebody resumes it. Null: until a probe decides, or open.';
comment on column sluice.queues.unserved_versions is
  'Versions of payloads of tasks that wait for it or its routes, and that no live worker of it '
  'serves. Null: none.';

comment on column sluice.workers.id is 'Random, 63 bits.';
comment on column sluice.workers.name is 'As it registered.';
comment on column sluice.workers.slots is 'Calls that it can have in flight.';
comment on column sluice.workers.models is 'Names of the models that it serves. Null: all.';
comment on column sluice.workers.version is 'Of its program.';
comment on column sluice.workers.registered_at is 'When it started.';
comment on column sluice.workers.seen is 'Its last heartbeat; of one that sleeps, now.';
comment on column sluice.workers.dead_at is
  'When it ended or was declared dead: it ended where that is seen, too. Null: neither.';
comment on column sluice.workers.alive is
  'Whether it has sent a heartbeat within settings.heartbeat_timeout, or sleeps.';
comment on column sluice.workers.in_flight is 'Calls that it has under way.';
comment on column sluice.workers.apis is 'That it speaks. Null: all.';
comment on column sluice.workers.schema_versions is
  'Versions of payloads that it serves. Null: all.';

comment on column sluice.attempts.id is 'Ascends with time.';
comment on column sluice.attempts.task_id is 'The task.';
comment on column sluice.attempts.fence is
  'The number of the call: it grows with each call of the task.';
comment on column sluice.attempts.kind is
  'retry (failed in a way that may be tried again, whether or not attempts were left), failed (in '
  'another way), lost (its worker died), late (its task had been taken back), redriven (an outcome '
  'taken back: its call may have a row of its own), hedged (an extra call), returned (not charged: '
  'nothing was sent, it was refused with 403, 404 or 405, or its request for many tasks failed as '
  'a whole) or rerouted (the task went to another model because of error_code; without started_at '
  'it was not called).';
comment on column sluice.attempts.model is 'The model''s name at that time.';
comment on column sluice.attempts.worker is 'The worker''s id.';
comment on column sluice.attempts.http_status is 'Of the backend''s answer. Null: there was none.';
comment on column sluice.attempts.error_code is 'For programs, such as http_500.';
comment on column sluice.attempts.error is 'In words.';
comment on column sluice.attempts.billed is 'Whether the backend bills it. Null: nobody knows.';
comment on column sluice.attempts.input_tokens is 'As its backend counted. Null: not said.';
comment on column sluice.attempts.output_tokens is 'As its backend counted. Null: not said.';
comment on column sluice.attempts.answer is
  'Of a late or redriven outcome, or a refusal: kept for audit, never applied.';
comment on column sluice.attempts.response is 'The backend''s verbatim reply to it.';
comment on column sluice.attempts.started_at is 'When it was claimed.';
comment on column sluice.attempts.ended_at is
  'When it ended. Null: an extra call, which ends with its task.';
comment on column sluice.attempts.cost is
  'By the model''s prices when the call began; 0 if it had none. Null: its tokens are not known.';
comment on column sluice.attempts.fallback_to is 'Of rerouted: the model to which its task went.';

comment on column sluice.breaker_events.id is 'Ascends with time.';
comment on column sluice.breaker_events.at is 'When.';
comment on column sluice.breaker_events.model is 'The model''s name today.';
comment on column sluice.breaker_events.from_state is 'The state before.';
comment on column sluice.breaker_events.to_state is 'The state after.';
comment on column sluice.breaker_events.reason is 'Why.';

comment on column sluice.audit_log.id is 'Ascends with time.';
comment on column sluice.audit_log.at is 'When.';
comment on column sluice.audit_log.who is 'The login; over HTTP key ID via LOGIN.';
comment on column sluice.audit_log.action is 'What was done.';
comment on column sluice.audit_log.object is
  'To what: a model''s, route''s or tenant''s name, a task''s id.';
comment on column sluice.audit_log.detail is
  'More about it; secrets'' names and URLs are for administrators alone.';

comment on column sluice.revisions.id is 'Ascends with time; what sluice.revert takes.';
comment on column sluice.revisions.kind is
  'The table: models, routes, fallbacks, tenants, budgets or settings.';
comment on column sluice.revisions.name is
  'The model, route, tenant or budget; of fallbacks the model or route whose tasks they are. Null: '
  'the settings.';
comment on column sluice.revisions.action is 'insert, update or delete.';
comment on column sluice.revisions.before is
  'The columns that changed, as they were. Null: there was no row.';
comment on column sluice.revisions.after is
  'The columns that changed, as they are. Null: there is no row.';
comment on column sluice.revisions.reverts is 'The revision that this one takes back. Null: none.';
comment on column sluice.revisions.reason is
  'Why: what the setting sluice.reason said when it was changed. Null: nothing.';

comment on column sluice.budget_events.at is 'When.';
comment on column sluice.budget_events.budget is 'The budget''s name today.';
comment on column sluice.budget_events.event is
  'mark: so much of it is spent; exhausted: it had nothing left for a task, whatever calls under '
  'way cost.';
comment on column sluice.budget_events.per_cent is 'The mark. Null: exhausted.';
comment on column sluice.budget_events.window_from is 'When the window began.';

comment on column sluice.jobs.id is 'What start_job returned.';
comment on column sluice.jobs.action is 'redrive, cancel, move, prioritise or forget.';
comment on column sluice.jobs.filter is 'Which tasks, as it was given.';
comment on column sluice.jobs.target is 'Of move: the model or route that they go to.';
comment on column sluice.jobs.priority is 'Of prioritise: what they get.';
comment on column sluice.jobs.state is
  'running, cancelled, done, undoing, undone or failed.';
comment on column sluice.jobs.matched is 'Tasks that met the filter when it was started.';
comment on column sluice.jobs.is_estimate is 'Whether matched is one.';
comment on column sluice.jobs.done is 'Tasks that it has acted on so far.';
comment on column sluice.jobs.skipped is
  'Tasks that met the filter and do not fit the target, or may not go there.';
comment on column sluice.jobs.undone is 'Tasks for which its undoing is done.';
comment on column sluice.jobs.created_at is 'When it was started.';
comment on column sluice.jobs.started_at is 'When its first step was made.';
comment on column sluice.jobs.finished_at is 'When it ended. Null: it has not.';
comment on column sluice.jobs.who is 'The login that started it; over HTTP key ID via LOGIN.';
comment on column sluice.jobs.error is 'Why its last step failed.';
comment on column sluice.jobs.can_undo is 'Whether sluice.undo_job can undo it now.';
comment on column sluice.jobs.undo_until is
  'Until when it can be undone. Null: it has not ended, or has no undo.';

comment on column sluice.history.step is 'How long the row''s time is: minute, hour or day.';
comment on column sluice.history.at is 'When that begins.';
comment on column sluice.history.model is
  'The model at which the tasks ended. Null: they ended without one, or all of them.';
comment on column sluice.history.tenant is 'Whose tasks. Null: all of them.';
comment on column sluice.history.solved is 'Tasks that ended as solved.';
comment on column sluice.history.failed is 'Tasks that ended as failed.';
comment on column sluice.history.cancelled is 'Tasks that ended as cancelled.';
comment on column sluice.history.expired is 'Tasks that ended as expired.';
comment on column sluice.history.retries is 'Calls that were made again.';
comment on column sluice.history.hedges is 'Extra calls beside slow ones.';
comment on column sluice.history.input_tokens is 'Of the calls that ended tasks.';
comment on column sluice.history.output_tokens is 'Of the calls that ended tasks.';
comment on column sluice.history.cost is
  'Of the calls that ended tasks, in the currency of the models'' prices; 0 without prices.';
comment on column sluice.history.wasted_tokens is
  'Input and output tokens of calls that ended no task.';
comment on column sluice.history.called is 'Tasks that a worker has had: the times are theirs.';
comment on column sluice.history.wait_s is 'Seconds from ready to the claim, summed up.';
comment on column sluice.history.call_s is 'Seconds from the claim to the end, summed up.';
comment on column sluice.history.total_s is 'Seconds from the submit to the end, summed up.';
comment on column sluice.history.wait_p50_s is 'Median of the wait, in seconds.';
comment on column sluice.history.wait_p99_s is '99th percentile of the wait, in seconds.';
comment on column sluice.history.call_p50_s is 'Median of the call, in seconds.';
comment on column sluice.history.call_p99_s is '99th percentile of the call, in seconds.';
comment on column sluice.history.total_p50_s is 'Median of the total, in seconds.';
comment on column sluice.history.total_p99_s is '99th percentile of the total, in seconds.';
comment on column sluice.history.cached_tokens is
  'Of input_tokens, those that providers read from their caches.';
comment on column sluice.history.cache_write_tokens is
  'Of input_tokens, those that providers wrote to their caches.';
comment on column sluice.history.reasoning_tokens is
  'Of output_tokens, those of which there is no text.';
comment on column sluice.history.wasted_cost is
  'Cost of calls that gave no end: retried, lost and late ones, as far as their tokens are known.';
