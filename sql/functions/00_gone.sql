-- What the functions of before have that stands in the way of those that follow. Here, not in a migration: until these files are applied
-- those go on. The rest of what they had goes in steps (20_remains.sql): a call that is under way now ends with it.

-- Once, beside the first functions that read it as a bound: until now it was the room of a queue, and workers of then stop without it.
do $$
begin
  if to_regprocedure('sluice.explain_backlog(sluice.task, timestamptz)') is not null then
    update sluice.models set max_queue = null where max_queue is not null;
  end if;
end
$$;
-- Beside them those of now, whose last argument has a default or is wider, would be ambiguous, or not be called.
drop function if exists sluice.claim_from(int, bigint, int, timestamptz), sluice.explain_backlog(sluice.task, timestamptz),
  sluice.restless(int[], int), sluice.claim_shares(bigint, text[], int[], int, timestamptz),
  sluice.settle_cancellations(timestamptz), sluice.take_permits(sluice.quota, int, timestamptz);
-- Their arguments have other names, or they return something else.
drop function if exists sluice.depth(int, int), sluice.drop_functions(int), sluice.explain_queued(sluice.task, int, timestamptz),
  sluice.look_around(int[], timestamptz), sluice.make_functions(int), sluice.oldest_ready(int), sluice.ring(int),
  sluice.store_drafts(sluice.draft[], bigint[], bigint[], timestamptz), sluice.tenant_room(text, timestamptz);
