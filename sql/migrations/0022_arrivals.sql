-- What submit knows of a new task that passed its checks, and of the model that it is for.
create type sluice.arrival as (
  task_id        bigint,
  ready_at       timestamptz,
  deadline       timestamptz,
  request_bytes  int,
  rank           smallint,      -- minus the priority
  due            boolean,       -- false: waits for ready_at
  route          text,          -- null: it named the model
  tenant         text,
  submitted_at   timestamptz,
  max_queue      int,           -- of the model
  max_unfinished bigint,        -- of the model
  heard          boolean        -- nobody sleeps on the model's bell, and workers look at it
);

-- So small that autovacuum never analyzes them; unanalyzed, the planner takes them for ten pages, and each submit opens indexes instead
-- of reading a page: 17,000 of its 451,000 instructions.
analyze sluice.settings, sluice.models, sluice.tenants, sluice.id_range, sluice.rung;
