-- What became of tasks, minute by minute: counts, times and costs that outlive the tasks. A look
-- (sql/functions/8_control/history.sql) adds what has ended since the one before.

-- The index by which a look finds young ends. Building it reads a partition, some 0.2 s for each
-- million results, and completions wait meanwhile: a step ends with a partition of 64 MiB or more.
do $$
declare
  c_step_bytes constant bigint := 67108864;
  v_part regclass;
begin
  perform set_config('lock_timeout', '500ms', true);
  for v_part in
    select i.inhrelid from pg_inherits i
    where i.inhparent = 'sluice.result'::regclass
      and not exists (select from pg_index x join pg_class n on n.oid = x.indexrelid
        join pg_am a on a.oid = n.relam
        where x.indrelid = i.inhrelid and a.amname = 'brin' and x.indisvalid)
    order by i.inhrelid
  loop
    execute format('create index on %s using brin (finished_at) with (pages_per_range = 64)',
      v_part);
    if pg_relation_size(v_part) >= c_step_bytes then
      perform set_config('sluice.step', 'again', true);
      return;
    end if;
  end loop;

  -- Takes those of the partitions.
  create index result_by_end on sluice.result using brin (finished_at) with (pages_per_range = 64);

  -- The transaction that stored the row, once another one has written it anew without its texts, or
  -- into another partition. Null: the row's own xmin.
  alter table sluice.result add column stored_by bigint;
  alter table sluice.attempt add column stored_by bigint;

  alter table sluice.settings add column history interval not null default '30 days',
    add constraint history_is_between_an_hour_and_400_days
      check (history between interval '1 hour' and interval '400 days');

  -- Of each model and tenant, each model, each tenant, and all: a reader finds what he asks for in
  -- one row.
  create table sluice.history_row (
    step          text not null,
    at            timestamptz not null,  -- when it begins, in UTC
    model         text,                  -- null: all; '': of tasks that ended without one
    tenant        text,                  -- null: all
    solved        bigint not null default 0,
    failed        bigint not null default 0,
    cancelled     bigint not null default 0,
    expired       bigint not null default 0,
    retries       bigint not null default 0,
    hedges        bigint not null default 0,
    input_tokens  bigint not null default 0,
    output_tokens bigint not null default 0,
    wasted_tokens bigint not null default 0,
    cost          numeric not null default 0,
    called        bigint not null default 0,             -- of these are the times
    wait_s        double precision not null default 0,   -- sums
    call_s        double precision not null default 0,
    total_s       double precision not null default 0,
    wait_counts   int[],                 -- how many by time (sluice.bucket_of); null: none
    call_counts   int[],
    total_counts  int[],
    constraint a_step_is_a_minute_an_hour_or_a_day check (step in ('minute', 'hour', 'day')),
    constraint a_step_has_one_row unique nulls not distinct (step, model, tenant, at)
  ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
  create index history_by_time on sluice.history_row (step, at);
  create index history_of_models on sluice.history_row (step, at) where tenant is null;
  create index history_of_tenants on sluice.history_row (step, at) where model is null;

  -- One row: which ends have been counted (sql/functions/8_control/history.sql).
  create table sluice.history_look (
    one          boolean primary key default true,
    looked_at    timestamptz not null default '-infinity',
    at           timestamptz not null,     -- nothing that ended since then is counted
    since        timestamptz not null,     -- all that ended before is, or is given up
    seen         pg_snapshot not null,     -- of the rest: what this snapshot saw
    counted      bigint[] not null default '{}',  -- transactions above its xmin that it saw; it
    counted_from bigint not null,          -- knows all of them from this one on
    attempt      bigint not null,          -- as at, of attempts: an id
    attempt_from bigint not null,          -- as since
    -- Of the round under way; null: none is. They become the ones above at its end.
    next_id           bigint,              -- where the next look goes on
    next_at           timestamptz,
    next_seen         pg_snapshot,
    next_counted      bigint[],
    next_counted_from bigint,
    next_attempt      bigint,
    -- An earlier look: when all that was under way then has ended, since becomes its time.
    marked_at      timestamptz not null,
    marked_xid     bigint not null,        -- no transaction had one above
    marked_attempt bigint not null,
    ends_max       int not null default 100000,  -- of a look, so that it takes less than a second
    place          oid not null,           -- of this table: in a restored one xids mean nothing
    constraint there_is_one_look check (one)
  );
  insert into sluice.history_look (at, since, seen, counted_from, attempt, attempt_from, marked_at,
    marked_xid, marked_attempt, place)
  select n.now, n.now, n.seen, n.xid, a.id, a.id, n.now, n.xid, a.id,
    'sluice.history_look'::regclass
  from (select clock_timestamp() as now, pg_current_snapshot() as seen,
      pg_snapshot_xmax(pg_current_snapshot())::text::bigint as xid) n,
    (select coalesce(max(id), 0) + 1 as id from sluice.attempt) a;
  analyze sluice.history_look;  -- for the reason in 0002_settings_models_routes_tenants.sql
end
$$;
