-- What psql and docs/reference/ say of the types that public functions take and return.

comment on type sluice.leased_task is
  'A task that a worker is to call: what claim and requests return.';
comment on column sluice.leased_task.task_id is 'The task.';
comment on column sluice.leased_task.fence is
  'The number of the call: an outcome counts only with the fence of the present call.';
comment on column sluice.leased_task.attempt is 'The number of the attempt, from 1.';
comment on column sluice.leased_task.model is 'The model''s name.';
comment on column sluice.leased_task.send_within_ms is
  'Send the call within so many ms from the moment the claim was sent, by the worker''s '
  'monotonic clock; later its permit is forfeited.';
comment on column sluice.leased_task.api is
  'How to call the backend. Null: the body did not fit into the answer; ask sluice.requests for '
  'it.';
comment on column sluice.leased_task.prompt is 'The text to answer, or null.';
comment on column sluice.leased_task.request is 'The verbatim JSON body, or null.';
comment on column sluice.leased_task.max_output_tokens is
  'The longest answer, in tokens. Null: the model''s own limit.';
comment on column sluice.leased_task.traceparent is
  'To be sent as a header of that name. Null: none.';
comment on column sluice.leased_task.timeout_ms is 'The longest time of the call, in ms.';
comment on column sluice.leased_task.priority is '-100 to 100.';
comment on column sluice.leased_task.queued_ms is
  'Of a task with a traceparent: how long it was in the queue, in ms.';
comment on column sluice.leased_task.request_bytes is 'Bytes of the prompt or request.';
comment on column sluice.leased_task.schema_version is
  'The version of its payload. Null: none, or it comes with the body.';

comment on type sluice.usage is
'What is known of a call''s tokens besides the outcome''s input_tokens and output_tokens, of which '
'these are a part; for complete_with_usage.';
comment on column sluice.usage.cached_tokens is
  'Input tokens that the provider read from its cache. Null: not said.';
comment on column sluice.usage.cache_write_tokens is
  'Input tokens that the provider wrote to its cache. Null: not said.';
comment on column sluice.usage.reasoning_tokens is
  'Output tokens of which the caller sees no text. Null: not said.';

comment on column sluice.outcome.fence is 'Of the call, as it was claimed.';
comment on column sluice.outcome.kind is
  'solved, failed, retry, throttled, returned or cancelled: see the type.';
comment on column sluice.outcome.answer is 'The model''s text.';
comment on column sluice.outcome.response is 'The backend''s verbatim reply.';
comment on column sluice.outcome.error is
  'What went wrong, in words; at most 1,000 bytes are kept.';
comment on column sluice.outcome.error_code is 'What went wrong, for programs, such as http_500.';
comment on column sluice.outcome.retry_after_ms is
  'How long the backend says to wait, in ms. Null: it does not.';

comment on type sluice.error_group is
  'Failed tasks of one model with the same error code and, but for numbers, ids and quoted '
  'parts, the same message: what dead_letter_groups returns.';
comment on column sluice.error_group.model is 'At which they failed.';
comment on column sluice.error_group.error_code is 'That they have in common.';
comment on column sluice.error_group.message is
  'That they have in common, without numbers, ids and quoted parts.';
comment on column sluice.error_group.count is 'How many.';
comment on column sluice.error_group.first_at is 'When the first of them failed.';
comment on column sluice.error_group.last_at is 'When the last of them failed.';
comment on column sluice.error_group.sample_id is 'The newest of these tasks.';

comment on type sluice.task_event is 'What happened to a task: what timeline returns.';
comment on column sluice.task_event.at is 'When.';
comment on column sluice.task_event.kind is
  'submitted, waits_until, queued, claimed, retry, failed, lost, late, returned, hedged, '
  'rerouted, redriven or ended.';
comment on column sluice.task_event.status is 'Of ended: the task''s status.';
comment on column sluice.task_event.model is
  'The model''s name; of rerouted that of the one to which the task went.';
comment on column sluice.task_event.worker is 'The worker''s name, or its id.';
comment on column sluice.task_event.fence is 'The number of the call.';
comment on column sluice.task_event.wait_s is 'Of claimed: seconds that the task had waited.';
comment on column sluice.task_event.call_s is 'Seconds that the call took.';
comment on column sluice.task_event.cost is 'Of the call that ended the task.';

comment on type sluice.quota is 'A quota in requests or in tokens, of a model or of a tenant.';
comment on column sluice.quota.bucket is 'The sequence that is its bucket.';
comment on column sluice.quota.account is 'Of tokens: where they are booked. Null: requests.';
comment on column sluice.quota.units is 'Requests or tokens a minute.';
comment on column sluice.quota.burst is 'Requests or tokens at once.';
comment on column sluice.quota.interval_ns is 'Between two units in the long run, in nanoseconds.';
comment on column sluice.quota.changed_at is 'When its limits changed last.';

comment on type sluice.ramp_row is
  'A ramp: a model''s share of a route that grows in steps. What ramps returns.';
comment on column sluice.ramp_row.id is 'Ascends with time.';
comment on column sluice.ramp_row.route is 'The route.';
comment on column sluice.ramp_row.model is 'The model.';
comment on column sluice.ramp_row.state is
  'running, paused, done, aborted (the model did worse, and its weight went back), stopped (by '
  'somebody, and it went back) or superseded (somebody set another weight).';
comment on column sluice.ramp_row.reason is 'What happened to it last, and why.';
comment on column sluice.ramp_row.share is 'Of the route''s weights, at its end.';
comment on column sluice.ramp_row.step is 'The step that it is at, from 1.';
comment on column sluice.ramp_row.steps is 'How many there are.';
comment on column sluice.ramp_row.step_time is 'How long each lasts at least.';
comment on column sluice.ramp_row.stepped_at is 'When the present one began.';
comment on column sluice.ramp_row.weight is 'The weight that it has set.';
comment on column sluice.ramp_row.weight_before is 'The weight to which it goes back.';
comment on column sluice.ramp_row.calls is
  'Calls of the model that ended in this step, as far as they are counted. Null, as the others: '
  'it has ended.';
comment on column sluice.ramp_row.errors is
  'Of these: failed tasks, and calls that were repeated.';
comment on column sluice.ramp_row.p95_s is
  'Seconds within which 95 % of them ended; of whole minutes.';
comment on column sluice.ramp_row.others_calls is 'The same of the route''s other models.';
comment on column sluice.ramp_row.others_errors is 'The same of the route''s other models.';
comment on column sluice.ramp_row.others_p95_s is 'The same of the route''s other models.';
comment on column sluice.ramp_row.calls_min is 'How many calls each step needs.';
comment on column sluice.ramp_row.error_margin is
  'How much more of its calls may fail than of the others'', 0.02: two of a hundred.';
comment on column sluice.ramp_row.p95_margin is
  'How much longer 95 % of its calls may take than the others'', 0.5: half as long again.';
comment on column sluice.ramp_row.who is 'The login; over HTTP key ID via LOGIN.';
comment on column sluice.ramp_row.started_at is 'When it was started.';
comment on column sluice.ramp_row.ended_at is 'When it ended. Null: it has not.';

comment on type sluice.shadow_row is
  'A change that is counted before it holds, with the sums of what was counted. What shadows '
  'returns.';
comment on column sluice.shadow_row.id is 'What apply_shadow and drop_shadow take.';
comment on column sluice.shadow_row.kind is 'models, tenants, budgets or routes.';
comment on column sluice.shadow_row.name is 'Of which.';
comment on column sluice.shadow_row.changes is 'Columns; of a route models with their weights.';
comment on column sluice.shadow_row.state is 'open, applied or dropped.';
comment on column sluice.shadow_row.reason is 'As given.';
comment on column sluice.shadow_row.calls is
  'Calls that began since it was started; of a budget those that ended.';
comment on column sluice.shadow_row.delayed is 'Of these: would have begun later.';
comment on column sluice.shadow_row.delay_s is 'By so many seconds, all together.';
comment on column sluice.shadow_row.refused is 'Of these: a budget would have refused them.';
comment on column sluice.shadow_row.moved is 'Of these: another model would have had them.';
comment on column sluice.shadow_row.looked_at is 'Up to when they are counted.';
comment on column sluice.shadow_row.who is 'The login; over HTTP key ID via LOGIN.';
comment on column sluice.shadow_row.started_at is 'When it was started.';
comment on column sluice.shadow_row.ended_at is 'When it was applied or dropped. Null: it is open.';

comment on type sluice.route_choice is
  'A model of a route, and what decides now whether it takes the route''s tasks: what '
  'route_choices returns.';
comment on column sluice.route_choice.route is 'The route''s name.';
comment on column sluice.route_choice.model is 'The model''s name.';
comment on column sluice.route_choice.prefer is 'What the route goes by.';
comment on column sluice.route_choice.weight is 'The model''s. 0: it takes none.';
comment on column sluice.route_choice.share is
  'Its part, from 0 to 1, of the route''s calls, by what is known now, among the models that can '
  'be called.';
comment on column sluice.route_choice.ms_per_token is
  'How long it took for an output token of late, in milliseconds. Null: not known.';
comment on column sluice.route_choice.in_flight is 'Its calls under way.';
comment on column sluice.route_choice.price is
  'Of a call of 750 input and 250 output tokens. Null: not known.';
comment on column sluice.route_choice.slow_s is
  'Seconds that a slow call took of late. Null: not known.';
comment on column sluice.route_choice.blocked is 'Why it cannot be called now. Null: it can.';
