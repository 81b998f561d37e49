-- When an outcome was taken back: its task waits since then, not since it was first submitted. Null for every other kind.
alter table sluice.attempt add column redriven_at timestamptz;

-- They answer something else now, or take more.
drop function if exists sluice.lower_marks(text, smallint[], timestamptz[]), sluice.tenant_room(text, timestamptz),
  sluice.tenant_allowances(text[], timestamptz), sluice.judge_rows(sluice.queue[], int, bigint, timestamptz),
  sluice.reroutable(sluice.models, timestamptz), sluice.is_admissible(sluice.models, timestamptz),
  sluice.route_text(text, timestamptz);
