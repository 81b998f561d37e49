-- Fairness remembers: how far each tenant has got at each model (sql/functions/23_fair_share.sql), and where the rounds through lines of
-- many lanes are (19_lanes.sql). Hints like marks and meters, hence unlogged; insert-only, the newest first in the index. After a crash
-- all begin equal.

-- A tenant's virtual time at a model and rank: the tokens that it received, divided by its weight.
create unlogged table sluice.tenant_clock (
  model  int not null,
  rank   smallint not null,             -- the effective one, in which it shared
  tenant bigint not null,               -- its key; sluice.level_key(): what all who wait have reached
  n      bigint not null,
  v      double precision not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, vacuum_truncate = off);
create index clock_of_tenant on sluice.tenant_clock (model, rank, tenant, n desc);

-- A model's round through the lanes of a line, of which there are more than a claim looks at.
create unlogged table sluice.lane_round (
  model  int not null,
  line   int not null,
  n      bigint not null,
  rank   smallint not null,
  next   bigint,                        -- the tenant with whom it goes on; null: it has ended
  begins double precision not null,     -- nobody is further behind: it makes up for nothing
  ends   double precision not null,     -- who has got so far has had his turns of this round
  passed int not null,                  -- lanes that have had theirs
  taken  int not null                   -- tasks that they gave
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, vacuum_truncate = off);
create index round_of_line on sluice.lane_round (model, line, n desc);

-- A row that a claim looks at, and when its turn is. (sluice.candidate of schema 40 goes with the functions that use it.)
create type sluice.turn as (
  task_id       bigint,
  line          int,
  lane          int,                -- its place among the lanes looked at, from 1
  rank          smallint,
  tenant        bigint,
  ready_at      timestamptz,
  deadline      timestamptz,
  request_bytes int,
  place         int,                -- in its lane, from 1
  aged          smallint,           -- its effective rank
  start         double precision,   -- its tenant's virtual time when it begins, and when it ends
  finish        double precision,
  level         double precision,   -- what all who wait have reached when it has been taken
  has_more      boolean             -- its lane's further rows were not looked at, and are due in this round
);
