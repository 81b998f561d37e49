-- What the functions of schema 44 have that stands in the way of those that follow. Here, not in a migration: until these files are applied
-- those go on. The rest of what they had goes in steps (20_remains.sql): a call that is under way now ends with it.

-- Once, beside the first functions that read it as a bound: until now it was the room of a queue, and workers of then stop without it.
do $$
begin
  if to_regprocedure('sluice.explain_backlog(sluice.task, timestamptz)') is not null then
    update sluice.models set max_queue = null where max_queue is not null;
  end if;
end
$$;
-- Beside the first two those of now, whose last argument has a default, would be ambiguous.
drop function if exists sluice.claim_from(int, bigint, int, timestamptz),
  sluice.when_to_retry(sluice.models, bigint, int, timestamptz, float8), sluice.explain_backlog(sluice.task, timestamptz);
-- Their arguments have other names, or they return something else.
drop function if exists sluice.count_headroom(regclass, int, text, int, bigint, float8, int, int), sluice.depth(int, int),
  sluice.drop_functions(int), sluice.explain_queued(sluice.task, int, timestamptz), sluice.find_place(bigint, int[]),
  sluice.make_functions(int), sluice.oldest_ready(int), sluice.recount_headroom(regclass, int, text, int, bigint, float8, int, int),
  sluice.take_headroom(int, text, int, bigint, float8, int),
  sluice.ring(int), sluice.store_drafts(sluice.draft[], bigint[], bigint[], timestamptz), sluice.tenant_room(text, timestamptz),
  sluice.look_around(int[], timestamptz), sluice.settle_cancellations(timestamptz),
  sluice.take_permits(sluice.quota, int, timestamptz), sluice.try_cancel(bigint, int[], timestamptz);
-- Of schema 40: fairness had no memory. With the type go the functions that use it.
drop type if exists sluice.candidate cascade;
drop function if exists sluice.draw(bigint, int), sluice.fair_level(float8[], float8[], float8),
  sluice.first_head(sluice.head[], timestamptz),
  sluice.lane_window(int, smallint, bigint, int, timestamptz), sluice.take_some(sluice.models, sluice.head[], sluice.line_share[], int,
  boolean, timestamptz), sluice.turns_within(sluice.models, sluice.head[], sluice.line_share[], int, boolean, timestamptz),
  sluice.waiting_lanes(int, int, smallint, int, int, timestamptz);
-- A model counted in its route whatever it took.
drop function if exists sluice.note_routed(int, int, int, timestamptz), sluice.restless(int[], int),
  sluice.take_turns(sluice.models, int, smallint, timestamptz);
