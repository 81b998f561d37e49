-- Ends of a task's life: cancelled calls, deadlines, redrive, forget, retention.

-- Calls that somebody wants aborted: (task, fence) of a lease. Insert-only; a mark goes with the lease it is on.
create table sluice.cancellation (
  task_id bigint not null,
  worker  bigint not null,
  at      timestamptz not null,
  fence   int not null,
  primary key (task_id, fence)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, vacuum_truncate = off);
create index cancellation_of_worker on sluice.cancellation (worker);

-- What one cancel_all is about; nulls are no condition. Used between internal functions only.
create type sluice.task_filter as (
  model    int,
  route    text,
  tenant   text,
  metadata jsonb,
  batch_id bigint
);

-- One round of retention between its two halves. Used between internal functions only.
create type sluice.retention_round as (
  erased  int,                          -- rows deleted one by one
  n       int,                          -- the range that can be dropped, or null
  end_id  bigint,
  carried bigint[]                      -- its tasks that must stay
);

-- Which ids partitions task_<n> and result_<n> hold. What lies below the first range belongs to the attic.
create table sluice.id_range (
  n        int primary key,
  first_id bigint not null unique,
  end_id   bigint not null,             -- the first id that is beyond it
  constraint a_range_holds_ids check (first_id < end_id)
);
insert into sluice.id_range (n, first_id, end_id)
select p.n, p.n * 1000000::bigint, (p.n + 1) * 1000000::bigint
from (select substr(c.relname, 6)::int as n from pg_class c
      where c.relnamespace = 'sluice'::regnamespace and c.relkind = 'r' and c.relname ~ '^task_[0-9]+$') p;

-- When the texts were erased; the one column of a task that is ever set later.
alter table sluice.task add column forgotten_at timestamptz;

-- redriven: a final outcome that was taken back.
alter table sluice.attempt drop constraint kind_is_known;
alter table sluice.attempt add constraint kind_is_known
  check (kind in ('retry', 'failed', 'lost', 'late', 'redriven'));

-- The key carries finished_at: retention finds what must stay without reading the answers.
alter table sluice.result drop constraint result_pkey;
alter table sluice.result add primary key (task_id) include (finished_at);

create index backlog_deadline on sluice.backlog (deadline) where deadline is not null;
do $$
declare
  v_model int;
begin
  for v_model in select id from sluice.models order by id loop
    execute format('create index on sluice.%I (deadline) where deadline is not null', 'queue_' || v_model);
  end loop;
end
$$;
create index lease_of_model on sluice.lease (model);
create index idempotency_of_task on sluice.idempotency (task_id);

-- The model at whose queue the last round of expiry ended; a reset begins with the first.
create unlogged sequence sluice.expired_model minvalue 0;
-- When retention may look for a range to drop, in microseconds since the epoch. A reset means "now".
create unlogged sequence sluice.retain_after minvalue 0;
