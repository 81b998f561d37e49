-- One place where work waits: each model and each route has a line, a queue table with all that is ready for it, and the claim chooses
-- among its lanes. Only adds: until the functions' files are applied the functions of schema 44 go on with what they had. What
-- is left then goes in steps (sql/functions/20_remains.sql).

-- The lines of routes: one for its prompts and, for each api that its models speak, one for verbatim requests. A line's id is minus n
-- here; a model's is the model's own, above 0. Its table is queue_route_<n>.
create table sluice.route_line (
  n     int primary key generated always as identity,
  route text not null,
  api   text,                           -- of verbatim requests; null: prompts
  constraint a_route_has_one_line_for_each_api unique nulls not distinct (route, api)
);

-- What waits for its time only: run_at, backoff, the hint of a limit. It moves once, into its line.
create table sluice.later (
  task_id       bigint primary key,
  ready_at      timestamptz not null,
  deadline      timestamptz,
  model         int,
  request_bytes int not null,
  fence         int not null,
  rank          smallint not null,      -- minus the priority: all keys ascend
  attempts      smallint not null,
  route         text,
  tenant        text not null,
  constraint a_model_or_a_route_is_named check ((model is null) <> (route is null))
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, vacuum_truncate = off);
create index later_by_time on sluice.later (ready_at);
create index later_of_model on sluice.later (model) where model is not null;
create index later_of_route on sluice.later (route) where route is not null;
create index later_deadline on sluice.later (deadline) where deadline is not null;
-- A lower bound on ready_at of the rows of a lane: a (line, rank, tenant's key). A hint, hence unlogged; insert-only, the newest first
-- in the key, so that nothing is ever walked over to find it. See sql/functions/05_marks.sql.
create sequence sluice.mark_id as bigint;
create unlogged table sluice.mark (
  line     int not null,                -- 0: what waits for its time
  rank     smallint not null,
  tenant   bigint not null,
  n        bigint not null,
  ready_at timestamptz not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, vacuum_truncate = off);
create index mark_of_lane on sluice.mark (line, rank, tenant, n desc);

-- How a route's tasks are shared among its models, and where the next window of a line with many lanes begins: hints of the same
-- kind. See sql/functions/21_routing.sql, 19_lanes.sql.
create unlogged table sluice.meter (
  line   int not null,
  model  int not null,                  -- above 0: a model of the route; 0: the route; -1: the line's windows
  n      bigint not null,
  at     timestamptz not null,          -- a model last asked; the route's weight was summed up
  v      double precision not null,     -- tasks taken, each 1 / weight long; windows: their mean weight
  weight double precision not null,     -- the model's; of those that could call; windows: unused
  tenant bigint                         -- windows: where the next one begins
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, vacuum_truncate = off);
create index meter_of_model on sluice.meter (line, model, n desc);

-- What submit knows of a new task that passed its checks, and of the line that it is for.
create type sluice.new_task as (
  task_id        bigint,
  ready_at       timestamptz,
  deadline       timestamptz,
  line           int,
  model          int,           -- that was named
  route          text,          -- or this
  request_bytes  int,
  rank           smallint,      -- minus the priority
  due            boolean,       -- false: waits for ready_at
  tenant         text,
  submitted_at   timestamptz,
  max_queue      int,           -- of the line
  max_unfinished bigint         -- of the model
);

-- The first row of a waiting lane.
create type sluice.head as (
  line          int,
  rank          smallint,
  tenant        bigint,
  ready_at      timestamptz,
  request_bytes int,
  weight        double precision,   -- its tenant's
  room          int                 -- how many calls its tenant's quota allows now; null: any number
);

-- A row that a claim looks at.
create type sluice.candidate as (
  task_id       bigint,
  line          int,
  rank          smallint,
  tenant        bigint,
  ready_at      timestamptz,
  deadline      timestamptz,
  request_bytes int,
  place         int             -- in its lane, from 1
);

-- How much a claim may take of a line; most null: any number.
create type sluice.line_share as (
  line int,
  most int
);

-- What is in use comes last, and last of it what every submit reads: nobody waits behind these locks for longer than need be.

-- A route's rows have no model yet. Only here: a model's have, and to lock all queues at once would stop every submit.
alter table only sluice.queue alter column model drop not null;

-- The line that a task came by and goes back to. Null: its model's own.
alter table sluice.lease add column line int;

-- What an upgrade found in the backlog is seen by all that looks at what waits, until it has been moved.
alter table sluice.backlog inherit sluice.later;

-- Not renamed: what runs at that moment goes on with what it had. sluice.take_over() sees to the rows with a model.
alter table sluice.rung add column line int, alter column model drop not null;
create index on sluice.rung (line);

-- max_queue is what its name says: the bound on what waits in a model's own line. It was the room of a queue beside the backlog, and is
-- no bound that anybody chose: the functions' files set it to null (sql/functions/00_gone.sql).
alter table sluice.models alter column max_queue drop not null, alter column max_queue drop default;
