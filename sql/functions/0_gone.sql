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
  sluice.uncounted_attempts(sluice.history_look), sluice.request_bounds(text, text),
  sluice.task_bounds(text, text, text, int), sluice.call_bounds(sluice.models, sluice.task);

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
  sluice.check_payload(text, text, text, text), sluice.check_payloads(sluice.draft[]),
  sluice.estimate_object(jsonb, timestamptz);
-- What calls may cost is reckoned before the budgets are locked, and passed on.
drop function if exists sluice.nanos_max(text, timestamptz, int, int),
  sluice.within_budgets(sluice.models, sluice.turn[], timestamptz),
  sluice.turns_within(sluice.models, sluice.head[], sluice.lane_round[], sluice.line_share[], int,
    boolean, timestamptz),
  sluice.take_by_turns(sluice.models, bigint, sluice.head[], sluice.lane_round[],
    sluice.line_share[], int, boolean, timestamptz),
  sluice.estimate_takers(jsonb, timestamptz);
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

-- These have an argument more, and the type attributes: routes choose.
drop function if exists sluice.claim_from(int, bigint, int, timestamptz, smallint),
  sluice.note_ask(int, int, double precision, sluice.meter, timestamptz);
do $$
begin
  if not exists (select from pg_attribute where attrelid = 'sluice.line_share'::regclass
    and attname = 'prefer') then
    alter type sluice.line_share add attribute since timestamptz, add attribute before timestamptz,
      add attribute prefer text;
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

-- These have an argument more: routes have tiers.
drop function if exists sluice.may_take(int, int, double precision, int, timestamptz),
  sluice.route_weight(int, int, timestamptz),
  sluice.route_meter(int, int, double precision, sluice.meter, boolean, timestamptz),
  sluice.blocked_text(sluice.models, int, timestamptz),
  sluice.claim_from(int, bigint, int, timestamptz, smallint),
  sluice.take_turns(sluice.models, bigint, sluice.line_share[], int, boolean, boolean, boolean,
    smallint, timestamptz),
  sluice.note_routed(sluice.models, sluice.line_share[], int, boolean, sluice.lease[],
    timestamptz);

-- No model or route is added until the end: its line would get the old generated functions.
do $$
begin
  lock table sluice.models, sluice.routes in share row exclusive mode;
end
$$;
