-- Runs before the new functions are created. Drops those old functions that would be in their way:
-- with another result type, or with arguments that would make a call ambiguous. The other old ones
-- are left to dropped.sql.

-- This is not a migration, because until the functions are replaced the old ones need the old name.
do $$
begin
  if exists (select from pg_attribute where attrelid = 'sluice.head'::regclass
             and attname = 'room') then
    alter type sluice.head rename attribute room to headroom;
    drop function if exists sluice.lane_facts(int, sluice.head[], sluice.lane_round[], int,
      boolean[], smallint);
  end if;
end
$$;

-- Their successors have an argument more, with a default.
drop function if exists sluice.submit_each(text[], text[], text[], text[], timestamptz),
  sluice.submit_array(text, text, text, text, timestamptz);
-- And these have a column more.
drop function if exists sluice.cells_of(sluice.history_look, bigint, bigint, bigint),
  sluice.attempt_cells(sluice.history_look), sluice.uncounted_ends(sluice.history_look),
  sluice.uncounted_attempts(sluice.history_look);

-- These have an argument more, and the types an attribute: payloads have versions.
drop function if exists sluice.submit(text, text, int, text, timestamptz, timestamptz, text, int,
    text, int, jsonb, bigint, text, timestamptz), sluice.line_of(int, text, text),
  sluice.make_route_line(text, text), sluice.content_sha256(text, text, text, int),
  sluice.lines_open(sluice.models, int, timestamptz), sluice.note_asks(int[], timestamptz),
  sluice.next_work(int[], timestamptz), sluice.first_task_at(sluice.models, timestamptz),
  sluice.live_workers(sluice.models, timestamptz),
  sluice.unserved_text(sluice.models, timestamptz), sluice.add_text(int);
-- Others took their place.
drop function if exists sluice.expected_cost(sluice.models, bigint, bigint),
  sluice.check_payload(text, text, text, text), sluice.check_payloads(sluice.draft[]);
do $$
begin
  if not exists (select from pg_attribute where attrelid = 'sluice.draft'::regclass
    and attname = 'schema_version') then
    alter type sluice.draft add attribute schema_version text;
    alter type sluice.destination add attribute version text;
    alter type sluice.claimed_task add attribute schema_version text;
  end if;
end
$$;

-- These have an argument more, and the types attributes: tasks have affinity keys.
drop function if exists sluice.submit(text, text, int, text, timestamptz, timestamptz, text, int,
    text, int, jsonb, bigint, text, text, timestamptz), sluice.line_of(int, text, text, text),
  sluice.add_text(int, text), sluice.take_text(), sluice.draw_text(), sluice.lease_text(text);
do $$
begin
  if not exists (select from pg_attribute where attrelid = 'sluice.draft'::regclass
    and attname = 'affinity_key') then
    alter type sluice.draft add attribute affinity_key text;
    alter type sluice.destination add attribute affinity_key text,  -- '': none
      add attribute later boolean;                                  -- its line is not made yet
  end if;
end
$$;

-- No model or route is added until the end: its line would get the old generated functions.
do $$
begin
  lock table sluice.models, sluice.routes in share row exclusive mode;
end
$$;
