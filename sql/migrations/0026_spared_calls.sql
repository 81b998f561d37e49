-- Calls that failed through no proven fault of their tasks, and which paths a backend of api solve offers.

-- How long a task may go on without one call that was sent.
alter table sluice.settings
  add column unsent_timeout interval not null default '1 hour',
  add constraint unsent_timeout_is_between_1_s_and_1_year
    check (unsent_timeout between interval '1 second' and interval '1 year');

alter table sluice.models
  -- Of /solve, /single and /batch; null: /solve, with batch_max above 1 /single and /batch.
  add column paths text[],
  -- Set by a trigger when what its calls look like changes: the next one goes alone.
  add column calls_changed_at timestamptz,
  add constraint paths_are_some_of_solves
    check (paths is null or (api = 'solve' and cardinality(paths) > 0 and paths <@ array['/solve', '/single', '/batch']));

-- The models.calls_changed_at whose first call went alone.
alter table sluice.breaker
  add column heeded_change timestamptz,
  add column probe_after timestamptz;   -- no probe before that

-- Each model has its row from the start, so that a claim needs to wait for nobody who makes it.
insert into sluice.breaker (model, state, since) select id, 'closed', clock_timestamp() from sluice.models on conflict do nothing;

-- Models that have refused calls: which tasks heard the same status since the last success, of those that had not been
-- refused before it.
create table sluice.refusal (
  model       int primary key,
  http_status smallint,
  tasks       bigint[] not null,
  worked_at   timestamptz               -- the last success, as far as somebody looked
);
create index refusal_in_a_row on sluice.refusal (model) where tasks <> '{}';
