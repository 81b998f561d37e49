-- What the policy of admission needs: the backlog's lanes are (line, rank, tenant), a model's pace is measured, and a
-- verbatim request remembers which api its route spoke.

alter table sluice.task add column api text;  -- of a verbatim request for a route: what the route's models spoke

-- The tenant's key (05_marks.sql); 0 for queues, which have no tenants.
alter table sluice.lane add column tenant bigint not null default 0;
alter table sluice.lane drop constraint lane_line_rank_key;
alter table sluice.lane add unique (line, rank, tenant);
do $$
declare
  v_lane int;
  v_model int;
begin
  -- Marks of the former lanes of the backlog; the new ones are made when they are needed.
  for v_lane in delete from sluice.lane where line not like 'queue\_%' returning id loop
    execute format('drop sequence if exists sluice.%I', 'mark_' || v_lane);
  end loop;
  for v_model in select id from sluice.models loop
    execute format('create unlogged sequence sluice.%I minvalue 0', 'paced_' || v_model);
    execute format('create unlogged sequence sluice.%I minvalue 0', 'paced_at_' || v_model);
    execute format('create unlogged sequence sluice.%I minvalue 0', 'tended_' || v_model);
  end loop;
end
$$;

-- One index for all lines; its expressions are sluice.line_of and sluice.tenant_key (05_marks.sql), written out.
drop index sluice.backlog_of_model, sluice.backlog_of_route;
create index backlog_of_line on sluice.backlog (
    (coalesce('route_' || route, 'backlog_' || model::text)), rank, (hashtextextended(tenant, 0) >> 1),
    ready_at, task_id)
  where due;

create index tenants_by_key on sluice.tenants ((hashtextextended(name, 0) >> 1));

-- The first row of a lane of the backlog.
create type sluice.lane_head as (
  line     text,
  rank     smallint,
  tenant   bigint,
  ready_at timestamptz
);

-- A row of the backlog to which fairness has given a place in this round. aged: its rank with its waiting counted in.
create type sluice.waiting_task as (
  task_id bigint,
  line    text,
  rank    smallint,
  aged    smallint,
  tenant  bigint,
  fence   int,
  api     text      -- of a verbatim request for a route
);

-- Among which models a route deals: upto[i] is the sum of the weights of ids[1..i].
create type sluice.route_share as (
  route text,
  api   text,
  ids   int[],
  upto  double precision[]
);

-- What a round of admission knows of a queue: the rows it may still take, and whether a task had better not wait for it.
create type sluice.queue_room as (
  model   int,
  room    int,
  limited boolean
);

drop type sluice.backlog_taken;
drop function if exists sluice.move_to_queue(int, text[], int, timestamptz), sluice.backlog_head(int, text[], int),
  sluice.queue_target(sluice.models), sluice.target(text, boolean, timestamptz),
  sluice.make_lanes(text, smallint[]), sluice.first_below_mark(text, smallint, timestamptz);
