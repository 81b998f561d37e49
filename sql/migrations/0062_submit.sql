-- Where tasks of a submit_many go that name the same and are of one tenant.
create type sluice.aim as (
  name     text,                -- that they give as their model; '': none
  verbatim boolean,             -- they are requests, not prompts
  line     int,
  model    int,                 -- that was named
  route    text,                -- or this
  api      text,                -- of requests for a route
  tenant   text,
  tasks    int
);

-- The first tenants in sluice.unlisted_tenant; null: a note there does not say that a task is within its tenant's limits.
alter table sluice.gate add column noted text[];
