-- The tests' vocabulary. Every test is one transaction that is rolled back:
--
--   begin;
--   \ir ../../_helpers.sql
--   select plan(n);
--   ...
--   select * from finish();
--   rollback;
--
-- Tests run in parallel in one database, so names come from given_model() and given_route(), never
-- from the test. Things that a rollback does not undo, or all tests share (sluice.task_id,
-- sluice.sweep_after, the locks of tick, sweep, partitions and sleepers), needs the database to
-- itself:
--
--   \set alone
--
-- before the \ir waits for that. The settings and the gate are one row each: a test makes its
-- models before it changes them, also by a tenant, or two tests wait for each other's locks. Time
-- is at(seconds): frozen, and later than the clock.

\set QUIET on
\pset format unaligned
\pset tuples_only on
set local client_min_messages = warning;
\if :{?alone}
do $$ begin perform pg_advisory_xact_lock(731999, 0); end $$;
\else
do $$ begin perform pg_advisory_xact_lock_shared(731999, 0); end $$;
\endif

-- A schema for each session: two open transactions cannot create the same one.
select format('sluice_test_%s', pg_backend_pid()) as test_schema \gset
create schema :test_schema;
grant usage on schema :test_schema to public;
set local search_path = :test_schema, public;
create sequence names;

-- at: p_seconds after the beginning of the test's time.
create function at(p_seconds numeric) returns timestamptz language sql immutable
as $$ select timestamptz '2040-01-01 00:00:00+00' + p_seconds * interval '1 second' $$;

-- given_model: a new model in no route; returns its name.
create function given_model(
  rpm int default null, burst int default null, max_queue int default null,
    max_in_flight int default null,
  max_attempts int default 3, tpm int default null) returns text language plpgsql
as $$
declare
  v_name text := format('model-%s-%s', pg_backend_pid(), nextval('names'));
begin
  insert into sluice.models (name, url, rpm, burst, max_queue, max_in_flight, max_attempts, tpm)
  values (v_name, 'http://127.0.0.1:1', given_model.rpm, given_model.burst, given_model.max_queue,
          given_model.max_in_flight, given_model.max_attempts, given_model.tpm);
  delete from sluice.routes where model = v_name;
  return v_name;
end
$$;

create function id_of(p_model text) returns int language sql
as $$ select id from sluice.models where name = p_model $$;

create function model_row(p_model text) returns sluice.models language sql
as $$ select m from sluice.models m where name = p_model $$;

-- quota_of: the quota of a model's requests.
create function quota_of(p_model text) returns sluice.quota language sql
as $$ select sluice.request_quota(m) from sluice.models m where name = p_model $$;

-- grant_permits: takes what a quota grants of p_wanted, as a claim does; next_at: when it grants
-- the next.
create function grant_permits(p_quota sluice.quota, p_wanted int, p_now timestamptz,
  out granted int, out next_at timestamptz)
language plpgsql as $$
begin
  granted := greatest(0, least(p_wanted, sluice.permits_now(p_quota, p_now)));
  perform sluice.take_permits(p_quota, granted, p_now);
  next_at := sluice.permit_at(p_quota, p_now);
end
$$;

-- given_route: a new route over models, of equal weight; returns its name.
create function given_route(variadic p_models text[]) returns text language plpgsql
as $$
declare
  v_name text := format('route-%s-%s', pg_backend_pid(), nextval('names'));
begin
  insert into sluice.routes (route, model) select v_name, unnest(p_models);
  return v_name;
end
$$;

-- given_worker: a worker registered at p_now that serves p_models (null: all); returns its id.
create function given_worker(p_models text[] default null, p_now timestamptz default at(0))
returns bigint language sql
as $$ select sluice.register_worker('test', 10, p_models, null, p_now) $$;

-- given_task: a task submitted at p_now; returns its id.
create function given_task(
  p_model text, priority int default 0, p_now timestamptz default at(0),
    deadline timestamptz default null,
  run_at timestamptz default null, max_attempts int default null, prompt text default 'question',
  tenant text default 'default', max_output_tokens int default null)
returns bigint language sql
as $$
  select sluice.submit(given_task.prompt, p_model, given_task.priority, given_task.tenant,
    run_at => given_task.run_at, deadline => given_task.deadline,
    max_attempts => given_task.max_attempts, max_output_tokens => given_task.max_output_tokens,
    p_now => given_task.p_now)
$$;

-- given_wait: tasks that wait for p_due, past their deadline, as one may that is tried again.
create function given_wait(p_due timestamptz, variadic p_ids bigint[]) returns void language sql
as $$ update sluice.later set ready_at = p_due where task_id = any (p_ids) $$;

-- given_tasks: p_count tasks submitted at once.
create function given_tasks(p_model text, p_count int, p_now timestamptz default at(0),
  priority int default 0)
returns bigint[] language sql
as $$
  select array(select * from sluice.submit_many(
    (select jsonb_agg(jsonb_build_object('prompt', 'question ' || n, 'model', p_model, 'priority',
                                         given_tasks.priority))
     from generate_series(1, p_count) n), given_tasks.p_now))
$$;

-- claimed: the ids that one claim gives, in its order.
create function claimed(p_worker bigint, p_max int,
  p_now timestamptz default at(1)) returns bigint[] language sql
as $$
  select coalesce(array_agg(c.task_id order by c.ordinality), '{}')
  from sluice.claim(p_worker, null, p_max, p_now) with ordinality c
$$;

-- told: one outcome.
create function told(
  p_task bigint, p_kind text, p_fence int default 1, answer text default null,
    error text default null, retry_after_ms bigint default null, http_status int default null,
    input_tokens int default null, output_tokens int default null, billed boolean default null,
    error_code text default null)
returns sluice.outcome language sql
as $$
  select row(p_task, p_fence, p_kind, told.answer, null, told.error, told.error_code,
    told.http_status, told.retry_after_ms,
             told.input_tokens, told.output_tokens, told.billed)::sluice.outcome
$$;

-- unsent, refused: outcomes that spare their tasks.
create function unsent(p_task bigint, p_fence int default 1) returns sluice.outcome language sql
as $$ select told(p_task, 'returned', p_fence, error => 'nobody listens', error_code => 'not_sent',
  billed => false) $$;
create function refused(p_task bigint, p_fence int default 1,
  p_status int default 404) returns sluice.outcome language sql
as $$
  select told(p_task, 'throttled', p_fence, error => 'calls go to http://h/p: HTTP ' || p_status,
    http_status => p_status, error_code => 'http_' || p_status)
$$;

-- completed: what complete answers to one outcome.
create function completed(p_worker bigint, p_outcome sluice.outcome,
  p_now timestamptz default at(2))
returns boolean language sql
as $$ select applied from sluice.complete(p_worker, array[p_outcome], p_now) $$;

-- given_hedging: lets p_model have extra calls, and gives the budget that all models share room for
-- them.
create function given_hedging(p_model text) returns void language sql
as $$
  select count(nextval('sluice.hedge_calls')) from generate_series(1, 1000);
  update sluice.models set hedge_after = '1 second' where name = p_model
$$;

-- given_tenant: a new tenant with a quota; returns its name.
create function given_tenant(rpm int default null, tpm int default null) returns text language sql
as $$
  insert into sluice.tenants (name, rpm, tpm)
  values (format('tenant-%s-%s', pg_backend_pid(), nextval('names')), given_tenant.rpm,
    given_tenant.tpm) returning name
$$;

-- places: every place that holds a task; more than one, or none, is always a bug.
create function places(p_task bigint) returns text language sql
as $$
  select string_agg(place, ' and ' order by place) from (
    select 'later' from sluice.later where task_id = p_task
    union all select 'queue' from sluice.queue where task_id = p_task
    union all select 'lease' from sluice.lease where task_id = p_task
    union all select status from sluice.result where task_id = p_task) p(place)
$$;

-- own_line: the line of a model, or of a route's prompts.
create function own_line(p_name text) returns int language sql
as $$
  select coalesce((select id from sluice.models where name = p_name),
    (select -n from sluice.route_line
  where route = p_name and api is null and version is null and model is null))
$$;

-- queued: the ids in the line of a model or route, in the order of their waiting.
create function queued(p_name text) returns bigint[] language plpgsql
as $$
declare
  v_ids bigint[];
begin
  execute format('select array(select task_id from sluice.%I order by rank, ready_at, task_id)',
  'queue_' || sluice.line_name(own_line(p_name)))
  into v_ids;
  return v_ids;
end
$$;

-- given_mark: gives one lane of the line of a model or route a mark, as the functions of Sluice do
-- it: owned by sluice_owner.
create function given_mark(p_name text, p_mark timestamptz, p_rank int default 0,
  p_tenant text default 'default') returns void
language sql security definer
as $$ select sluice.set_mark(own_line(p_name), p_rank::smallint,
  sluice.tenant_key(p_tenant), p_mark) $$;

-- marked: the mark of that lane.
create function marked(p_name text, p_rank int default 0,
  p_tenant text default 'default') returns timestamptz language sql
as $$ select sluice.mark_of(own_line(p_name), p_rank::smallint, sluice.tenant_key(p_tenant)) $$;

-- given_row: a row straight in a model's queue, with no task and no notification behind it.
create function given_row(p_model text, p_ready timestamptz, p_task bigint default 1) returns void
  language plpgsql
as $$
begin
  execute format('insert into sluice.queue_%1$s (task_id, ready_at, model, request_bytes, fence,
    rank, attempts, tenant)
    values ($1, $2, %1$s, 1, 0, 0, 0, ''default'')', id_of(p_model)) using p_task, p_ready;
end
$$;

-- shares_lock, shares_lock_of_line: whether this transaction shares the sleeper lock of a model's
-- line, of a line: it has notified.
create function shares_lock_of_line(p_line int) returns boolean language sql
as $$
  select exists (select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()
    and mode = 'ShareLock'
    and classid = sluice.lock_class('sleeper') and objid = sluice.sleeper_lock_of(p_line))
$$;
create function shares_lock(p_model text) returns boolean language sql
as $$ select shares_lock_of_line(id_of(p_model)) $$;

-- shares_opening_lock: the same of its opening lock.
create function shares_opening_lock(p_model text) returns boolean language sql
as $$
  select exists (select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()
    and mode = 'ShareLock'
    and classid = sluice.lock_class('sleeper') and objid = 64 + id_of(p_model) % 64)
$$;

-- held_locks: the sleeper locks and opening locks that this session holds as a sleeper does.
create function held_locks() returns int[] language sql
as $$
  select coalesce(array_agg(objid::int order by objid), '{}') from pg_locks
  where locktype = 'advisory'
    and pid = pg_backend_pid() and mode = 'ExclusiveLock' and classid = sluice.lock_class('sleeper')
$$;

-- forget_counter: a model's sequence as a crash leaves it.
create function forget_counter(p_kind text, p_model text) returns void language sql
as $$
  select setval(format('sluice.%s_%s', p_kind, id_of(p_model))::regclass, seqstart, false)
  from pg_sequence where seqrelid = format('sluice.%s_%s', p_kind, id_of(p_model))::regclass
$$;

-- error_of: the code, message and hint with which p_sql fails; nulls if it does not.
create function error_of(p_sql text, out code text, out message text, out hint text)
  language plpgsql
as $$
begin
  execute p_sql;
exception when others then
  get stacked diagnostics code = returned_sqlstate, message = message_text,
    hint = pg_exception_hint;
end
$$;

-- given_tenant: a new tenant that belongs to a new role of its name, a member of p_groups; returns
-- the name.
create function given_tenant(variadic p_groups name[]) returns text language plpgsql
as $$
declare
  v_name text := format('tenant-%s-%s', pg_backend_pid(), nextval('names'));
begin
  -- As a new model does first: from PostgreSQL 16 on a grant locks the role, and two tests would
  -- wait for each other.
  lock table sluice.queue in share update exclusive mode;
  execute format('create role %I in role %s', v_name, array_to_string(p_groups, ', '));
  insert into sluice.tenants (name, role) values (v_name, v_name);
  return v_name;
end
$$;

-- seem_empty: gives those tables the statistics of emptied ones whose pages were not given back.
create function seem_empty(p_tables text default '') returns void language sql
as $$
  update pg_class set reltuples = 0, relpages = greatest(1, pg_relation_size(oid) / 8192)
  where relnamespace = 'sluice'::regnamespace and relkind = 'r' and relname ~ p_tables;
  delete from pg_statistic where starelid in (select oid from pg_class
    where relnamespace = 'sluice'::regnamespace and relname ~ p_tables)
$$;
