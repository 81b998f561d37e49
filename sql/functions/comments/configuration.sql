-- What psql and docs/reference/ say of what administrators configure. Defaults and constraints are
-- in the catalog.

comment on table sluice.models is
  'A backend''s model: where it is, what it may be asked, how its calls are made. Edit with '
  'plain INSERT, UPDATE and DELETE; workers follow within a second. A model with unfinished '
  'tasks cannot be deleted.';
comment on column sluice.models.name is
  'By which tasks and routes name it, 1 to 200 characters, unique over models and routes. It may '
  'be changed.';
comment on column sluice.models.id is
  'A number that stays when the name changes. It names the model''s line (queue_<id>) and '
  'sequences. Given by itself.';
comment on column sluice.models.api is
  'What the backend speaks: solve, openai-chat, openai-responses, openai-embeddings or '
  'anthropic-messages.';
comment on column sluice.models.url is
  'Base of the backend''s addresses, http:// or https://. solve: /solve, /single or /batch '
  'follows; openai-…: with /v1; anthropic-messages: without /v1. '
  'A query stays behind the path.';
comment on column sluice.models.upstream_model is
  'What the backend calls the model. Null: its name here.';
comment on column sluice.models.secret is
  'Where the worker finds the credential: env:NAME or file:/path, never the credential itself. '
  'Null: none is sent.';
comment on column sluice.models.rpm is
  'Calls in any window of a minute, of all workers together. Null: any number.';
comment on column sluice.models.tpm is
  'Tokens, input and output, in any window of a minute, but for one request''s; of all workers '
  'together. Null: any number.';
comment on column sluice.models.burst is
  'Calls at once, 1 to rpm / 2. A larger burst makes the sustained rate lower. Null: 1 + rpm / '
  '100.';
comment on column sluice.models.max_in_flight is
  'Calls under way at a time, of all workers together. Null: any number.';
comment on column sluice.models.min_in_flight is
  'Calls at a time that a worker''s adaptive limit leaves the model at least, however its '
  'backend answers.';
comment on column sluice.models.max_queue is
  'Tasks that may wait in the model''s own line; a submit beyond it is refused with SL003. A '
  'route''s bound is the sum of its models''. Null: any number.';
comment on column sluice.models.max_unfinished is
  'Tasks that may wait or be under way; from 95 % of it on submits are refused with SL003. Null: '
  'settings.max_unfinished.';
comment on column sluice.models.timeout is
  'The longest time of one call, from the request to the end of the answer.';
comment on column sluice.models.max_attempts is
  'Charged calls of one task at most; then it fails. A task''s own max_attempts comes first.';
comment on column sluice.models.backoff_base is
  'The first retry waits up to this long, each further one up to twice as long.';
comment on column sluice.models.backoff_max is
  'No retry waits longer of itself. One whose backend asks for a longer wait (Retry-After) waits '
  'as long as that asks, an hour at most.';
comment on column sluice.models.batch_max is
  'Tasks in one call at most, with api solve; other apis take one.';
comment on column sluice.models.batch_wait is
  'How long a call waits at most for more tasks to share it.';
comment on column sluice.models.breaker_failures is
  'So many failed calls in a row (no connection, time-out, HTTP 408 or 5xx) open the breaker: '
  'nothing is claimed for the model.';
comment on column sluice.models.breaker_open is
  'How long the breaker is open before it lets one call through as a probe.';
comment on column sluice.models.breaker_successes is
  'So many probes in a row must succeed to close the breaker.';
comment on column sluice.models.hedge_after is
  'When a call takes longer, a second one is made, and the first answer counts. At most a day. '
  'Null: no extra calls.';
comment on column sluice.models.hedge_max is
  'Extra calls of one task at most, each after another hedge_after.';
comment on column sluice.models.hedge_budget is
  'Extra calls as a share of all calls, 0 to 1; models with hedge_after save for one budget.';
comment on column sluice.models.claim_order is
  'Of the tasks of one priority and tenant. prefix: those that have the same affinity key, or '
  'begin with the same 256 characters, are called one after the other, so that a prefix cache is '
  'of use; also those of its routes.';
comment on column sluice.models.input_price is
  'Cost of a million input tokens, in a currency of yours. Null: not known. To set it begins a new '
  'list in sluice.prices, and a list that comes into force is shown here within a minute.';
comment on column sluice.models.output_price is
  'Cost of a million output tokens, likewise. Null: not known.';
comment on column sluice.models.max_output_tokens is
  'The longest answer of a task that has no max_output_tokens of its own, in tokens; sent with its '
  'prompt. Where a hard budget counts the call, also the most that a task may ask for. Null: the '
  'backend''s own limit.';
comment on column sluice.models.is_budgeted is
  'Whether there are budgets. Maintained by a trigger.';
comment on column sluice.models.is_priced is
  'Whether sluice.prices has rows of it; without, its calls cost 0. Maintained by a trigger.';

comment on table sluice.budgets is
  'How much calls may cost in some time. A hard budget is never exceeded: each call is held at the '
  'most that it may cost, and settled when it ends.';
comment on column sluice.budgets.name is 'As you like, 1 to 200 characters.';
comment on column sluice.budgets.scope is
  'Which calls count: system (all), or those of a model, route, tenant, key of the HTTP API, or '
  'tag in the tasks'' metadata.';
comment on column sluice.budgets.subject is
  'The model''s, route''s or tenant''s name, the key''s id, or key=value. Null: of the system.';
comment on column sluice.budgets.period is
  'day, week (from Monday), month, or rolling: the time before now.';
comment on column sluice.budgets.zone is
  'In which time zone days, weeks and months begin, such as Europe/Prague.';
comment on column sluice.budgets.rolling is
  'Of period rolling: how long a call counts, 1 minute to 366 days.';
comment on column sluice.budgets.limit_nanos is
  'What calls may cost, in nano-units (thousand-millionths) of the currency of sluice.prices.';
comment on column sluice.budgets.is_hard is
  'Whether calls wait at the limit. False: it is only told.';
comment on column sluice.budgets.marks is
  'At how many per cent of the limit it is told, once in each window.';
comment on column sluice.budgets.at_limit is
  'What becomes of a task that does not fit: park (it waits until the budget opens), refuse (it '
  'fails with over_budget), or reroute (to the model reroute_to).';
comment on column sluice.budgets.reroute_to is 'A model that costs less, or is another budget''s.';
comment on column sluice.budgets.id is 'Its number in other tables.';

comment on table sluice.fallbacks is
  'To which model a task goes that its own cannot serve, by cause; each model at most once a task. '
  'A route''s fallback comes before that of its model.';
comment on column sluice.fallbacks.target is 'The model or route whose tasks they are.';
comment on column sluice.fallbacks.cause is
  'context_too_long or content_refused: what the backend said; over_budget: a hard budget has too '
  'little left; breaker_open: of the model, or of all models of the route.';
comment on column sluice.fallbacks.to_model is
  'The model. Tasks that it may not have, by api, schema version, tenant or tpm, do not go to it.';

comment on table sluice.prices is
  'What models cost, in nano-units (thousand-millionths) of one currency, now, before and later. '
  'The rows of a model with the same valid_from are a list, which holds for calls that begin '
  'before the next list.';
comment on column sluice.prices.model is 'The model; renamed and deleted with it.';
comment on column sluice.prices.valid_from is 'When the list begins to hold.';
comment on column sluice.prices.above_tokens is
  'For calls with more input tokens than this; the row with the highest such number counts. 0: '
  'all.';
comment on column sluice.prices.input is 'Of a million input tokens. Null: not known.';
comment on column sluice.prices.cached_input is
  'Of a million input tokens that the provider read from its cache. Null: as input.';
comment on column sluice.prices.cache_write is
  'Of a million input tokens that the provider wrote to its cache. Null: as input.';
comment on column sluice.prices.output is
  'Of a million output tokens, those for reasoning included. Null: not known.';
comment on column sluice.prices.per_request is 'Of a call, beside its tokens.';
comment on column sluice.models.paused is
  'While true nothing is claimed for the model; running calls end normally.';
comment on column sluice.models.closed_until is
  'Nothing is claimed before that time; infinity: until somebody resumes it. Set by close_model, '
  'and by a backend''s word (429, 401 …). Null: open.';
comment on column sluice.models.closed_reason is 'Why it is closed; shown to all who wait for it.';
comment on column sluice.models.limits_changed_at is
  'When rpm, tpm or burst changed last: the buckets began empty then. Maintained by a trigger.';
comment on column sluice.models.paths is
  'Of /solve, /single and /batch, those that a backend of api solve offers. Null: /solve; with '
  'batch_max above 1 /single and /batch.';
comment on column sluice.models.calls_changed_at is
  'When what calls look like changed last: the next one goes alone. Maintained by a trigger.';
comment on column sluice.models.is_compared is
  'Whether a route that does not go by weights has it. Maintained by a trigger.';
comment on column sluice.models.keep_response is
  'Whether the backend''s verbatim reply is stored beside the answer. Null: yes, but not with '
  'api solve.';
comment on column sluice.models.closed_detail is
  'What the call that closed it heard, in the backend''s or the worker''s words; for '
  'administrators.';

comment on table sluice.routes is
  'A name by which a task may be submitted to several models: a row for each model of a route. '
  'Route any takes every new model whose api answers a prompt.';
comment on column sluice.routes.route is
  'The route''s name, 1 to 200 characters, unique over models and routes. Its first row makes '
  'it, its last one ends it.';
comment on column sluice.routes.model is
  'A model that takes the route''s tasks; renamed and deleted with it.';
comment on column sluice.routes.weight is
  'The model''s share of the route''s tasks, beside the others'' weights, among the models that '
  'could call now. 0: it takes none.';
comment on column sluice.routes.prefer is
  'What decides which model takes a task: weight; cost: the cheapest that keeps the task''s '
  'deadline; latency: the fastest; balanced: both. Set in one row of a route, it is set in all. '
  'Unless it is weight, the weights count only in so far as they are 0.';
comment on column sluice.routes.tier is
  'Models of a later tier, 1 to 100, take only what those of earlier ones cannot start now, or not '
  'end before its deadline.';

comment on table sluice.tenants is
  'Tenants with a share, limits or a database role of their own. A tenant without a row has '
  'weight 1, no quota, and the limits of settings.tenant_….';
comment on column sluice.tenants.name is 'As tasks name their tenant.';
comment on column sluice.tenants.weight is
  'Share of each model beside the other tenants that wait for it, counted in tokens; above 0.';
comment on column sluice.tenants.max_unfinished is
  'Its tasks that may wait or be under way; a submit beyond it is refused with SL005. Null: '
  'settings.tenant_max_unfinished.';
comment on column sluice.tenants.rpm is
  'Its calls in any window of a minute, at all models together. Null: any number.';
comment on column sluice.tenants.tpm is
  'Its tokens in any window of a minute, but for one request''s. Null: any number.';
comment on column sluice.tenants.role is
  'A database role whose members act for this tenant and no other. Null: who acts for tenants '
  'without a role, settings.default_role says.';
comment on column sluice.tenants.id is
  'A number that stays when the name changes. Given by itself.';
comment on column sluice.tenants.limits_changed_at is
  'When rpm or tpm changed last: the buckets began empty then. Maintained by a trigger.';
comment on column sluice.tenants.max_batches is
  'Batches that it may have open at a time. Null: settings.tenant_max_batches.';
comment on column sluice.tenants.max_files is
  'Files that it may have, with those that its batches will put out. Null: '
  'settings.tenant_max_files.';
comment on column sluice.tenants.files_bytes_max is
  'Bytes of its files, all together. Null: settings.tenant_files_bytes_max.';
comment on column sluice.tenants.max_priority is
  'The highest priority that its tasks may ask for, 0 to 100. Null: '
  'settings.tenant_max_priority; of tenant default 100.';
comment on column sluice.tenants.models is
  'The models and routes that its tasks may name; {}: none. Null: settings.tenant_models; of '
  'tenant default all.';

comment on table sluice.settings is
  'What holds for the whole installation: one row, which stays. Change it with plain UPDATE; '
  'workers and servers follow within a second.';
comment on column sluice.settings.one is 'Always true: there is one row.';
comment on column sluice.settings.retention is
  'How long a finished task and its result are kept after its end; at most an hour or a tenth of '
  'it longer.';
comment on column sluice.settings.ageing is
  'A task that has waited so long counts as one step of priority higher; so nothing waits for '
  'ever.';
comment on column sluice.settings.heartbeat_timeout is
  'A worker that is silent for longer is dead: its calls go back.';
comment on column sluice.settings.request_bytes_max is
  'Bytes of one task''s prompt or request; a larger one is refused with SL007.';
comment on column sluice.settings.claim_bytes_max is
  'Bytes of all bodies that one answer of sluice.requests carries, but for the first.';
comment on column sluice.settings.max_unfinished is
  'Tasks that may wait or be under way, of the whole system, and of a model without a bound of '
  'its own.';
comment on column sluice.settings.events is
  'Whether the ids of ended tasks are announced on channel sluice_done.';
comment on column sluice.settings.unsent_timeout is
  'A task fails when none of its calls could be sent for so long. Of refusals (HTTP 403, 404, 405) '
  'the third fails it; while other tasks'' refusals point to the model, only after this time.';
comment on column sluice.settings.default_model is
  'The model or route of tasks that name none. Null: these are refused with SL001. '
  '`sluice up` sets it to any in a new database.';
comment on column sluice.settings.default_role is
  'The database role whose members act for tenants without a role; public: everybody. Null: '
  'administrators alone.';
comment on column sluice.settings.max_tenants is
  'Tenants that may have tasks without a row in sluice.tenants; a further one is refused with '
  'SL005 (at 0: SL009). Null: any number.';
comment on column sluice.settings.tenant_max_unfinished is
  'Tasks of one tenant that may wait or be under way, where its row says nothing; not of tenant '
  'default. Null: any number.';
comment on column sluice.settings.tenant_max_batches is
  'Open batches of one tenant, where its row says nothing. Null: any number.';
comment on column sluice.settings.tenant_max_files is
  'Files of one tenant, where its row says nothing. Null: any number.';
comment on column sluice.settings.tenant_files_bytes_max is
  'Bytes of the files of one tenant, where its row says nothing. Null: any number.';
comment on column sluice.settings.tenant_max_priority is
  'The highest priority of a tenant''s tasks, where its row says nothing; not of tenant default. '
  'Null: 100.';
comment on column sluice.settings.tenant_models is
  'The models and routes that a tenant''s tasks may name, where its row says nothing; {}: none; '
  'not of tenant default. Null: all.';
comment on column sluice.settings.idle_look is
  'How often a worker or server that has nothing to do looks at the database all the same. '
  'infinity (before PostgreSQL 17: 1000 years): never.';
comment on column sluice.settings.prefix_wait is
  'The most that prefix caches make a task wait, 10 ms to 1 h: in a line ordered by prefix only '
  'tasks that become ready within that time after it are called before it, and a model that cannot '
  'be called for longer leaves its affinity keys to others.';
comment on column sluice.settings.history is
  'How long the history keeps minutes; hours are kept 400 days, days ten years.';
comment on column sluice.settings.trace_url is
  'Where a trace is shown, http:// or https://, for links in the console; {trace_id} in it '
  'stands for the trace''s id. Null: no links.';

comment on table sluice.payload_schema is
  'The versions of payloads that a model or route knows: tasks may name them, and workers serve '
  'some or all.';
comment on column sluice.payload_schema.target is 'The model or route.';
comment on column sluice.payload_schema.version is
  '1 to 50 letters, digits and any of . _ + -; at most 32 of a target.';
comment on column sluice.payload_schema.schema is
  'A JSON Schema that payloads of it are checked by at submit. Null: nothing is checked.';
comment on column sluice.payload_schema.created_at is 'When it was declared.';
