-- What became of tasks and of their calls, and how long both are kept.

-- The one final outcome; insert-only but for redrive. The key carries finished_at: retention finds what must stay without reading answers.
create table sluice.result (
  task_id       bigint not null,
  worker        bigint,
  created_at    timestamptz not null,   -- of the task, so that reports need no join
  queued_at     timestamptz,
  started_at    timestamptz,
  finished_at   timestamptz not null,
  fence         int not null,
  input_tokens  int,
  output_tokens int,
  attempts      smallint not null,
  http_status   smallint,
  status        text not null,
  model         text,                   -- its name at that time
  error_code    text,
  error         text,
  cost          numeric,                -- by the model's prices at that time
  answer        text,
  response      text,                   -- the backend's verbatim body
  primary key (task_id) include (finished_at),
  constraint status_is_final check (status in ('solved', 'failed', 'cancelled', 'expired'))
) partition by range (task_id);
create index result_not_solved on sluice.result (task_id) where status <> 'solved';

-- One row per call that failed, was lost, came too late or was an extra one, and per outcome that was taken back (redriven). Insert-only.
create table sluice.attempt (
  id            bigint generated always as identity primary key,
  task_id       bigint not null,
  worker        bigint,
  started_at    timestamptz,
  ended_at      timestamptz,            -- null: an extra call ends with its task, whichever answered first
  fence         int not null,
  input_tokens  int,
  output_tokens int,
  http_status   smallint,
  billed        boolean,                -- null: nobody knows
  kind          text not null,          -- returned: not charged, of a request for many tasks that failed as a whole
  model         text,
  error_code    text,
  error         text,
  answer        text,                   -- of a late result: kept for audit, never applied
  response      text,
  redriven_at   timestamptz,            -- the task waits since then, not since it was first submitted
  constraint kind_is_known check (kind in ('retry', 'failed', 'lost', 'late', 'redriven', 'hedged', 'returned')),
  constraint only_a_hedged_call_has_no_end check (ended_at is not null or kind = 'hedged')
);
create index attempt_of_task on sluice.attempt (task_id);
create index attempt_lost_by_worker on sluice.attempt (worker) where kind = 'lost';

-- Which ids partitions task_<n> and result_<n> hold. What lies below the first range belongs to the attic.
create table sluice.id_range (
  n        int primary key,
  first_id bigint not null unique,
  end_id   bigint not null,             -- the first id that is beyond it
  constraint a_range_holds_ids check (first_id < end_id)
);
insert into sluice.id_range (n, first_id, end_id)
select n, n * 1000000::bigint, (n + 1) * 1000000::bigint from generate_series(0, 2) n;
analyze sluice.id_range;  -- for the reason in 0002_settings_models_routes_tenants.sql

-- Partitions are made by ATTACH only (it waits for no reader), two ahead of the newest id (sluice.make_partitions): here the first, a
-- million ids wide each. The attic, below them, takes what outlives its range.
-- Long texts are compressed by LZ4 where the server was built with it, else by PostgreSQL's own method. An insert of 4 KB of prose: 26 us
-- instead of 81, in the same space; uncompressed 27, in three times the space. Partitions are made like their table.
do $$
declare
  v record;
begin
  for v in
    select t.place, t.text_1, t.text_2, t.place || '_' || coalesce(r.n::text, 'attic') as name,
      coalesce(r.first_id::text, 'minvalue') as first_id, coalesce(r.end_id, 0) as end_id
    from (values ('task', 'prompt', 'request'), ('result', 'answer', 'response')) t(place, text_1, text_2)
    cross join generate_series(-1, 2) left join sluice.id_range r on r.n = generate_series
  loop
    if 'lz4' = any ((select enumvals from pg_settings where name = 'default_toast_compression')::text[]) then
      execute format('alter table sluice.%I alter column %I set compression lz4, alter column %I set compression lz4',
                     v.place, v.text_1, v.text_2);
    end if;
    execute format('create table sluice.%I (like sluice.%I including all)', v.name, v.place);
    execute format('alter table sluice.%I attach partition sluice.%I for values from (%s) to (%s)', v.place, v.name, v.first_id, v.end_id);
  end loop;
end
$$;

-- One round of retention between its two halves. Between internal functions only.
create type sluice.retention_round as (
  erased  int,                          -- rows deleted one by one
  n       int,                          -- the range that can be dropped, or null
  end_id  bigint,
  carried bigint[]                      -- its tasks that must stay
);
-- When retention may look for a range to drop, in microseconds since the epoch. A reset means "now".
create unlogged sequence sluice.retain_after minvalue 0;
