-- Where tasks of a submit_many go that name the same and are of one tenant. It was called aim: that type goes with what else an upgrade
-- leaves (dropped.sql), for calls under way name it.
create type sluice.destination as (
  name     text,                -- that they give as their model; '': none
  verbatim boolean,             -- they are requests, not prompts
  line     int,
  model    int,                 -- that was named
  route    text,                -- or this
  api      text,                -- of requests for a route
  tenant   text,
  tasks    int
);
