-- For which models the bell was rung since somebody found nothing to do for them (06_bells.sql). Insert-only but for its
-- tidying; a model may be in it more than once. Logged: a crash must not forget what waits.
create table sluice.rung (
  model   int not null,
  rung_at timestamptz not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, vacuum_truncate = off);
create index on sluice.rung (model);
insert into sluice.rung (model, rung_at) select id, clock_timestamp() from sluice.models;
