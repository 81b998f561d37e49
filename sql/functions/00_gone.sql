-- What schema 44 had and later ones do not. Here, not in a migration: until the functions' files are applied those of schema 44 go on.
-- (What is left of its sequences goes in steps: sluice.drop_remains.)
do $$
begin
  if exists (select from pg_attribute where attrelid = 'sluice.rung'::regclass and attname = 'model') then
    alter table sluice.rung rename column model to line;
  end if;
end
$$;
drop type if exists sluice.arrival, sluice.lane_head, sluice.waiting_task, sluice.route_share, sluice.queue_room, sluice.headroom_max
  cascade;
drop table if exists sluice.lane;
drop function if exists sluice.accept_for_model(int, text, timestamptz), sluice.accept_many(sluice.backlog[], timestamptz),
  sluice.admissible_at(sluice.models, timestamptz), sluice.admit_models(int[], timestamptz), sluice.admit_rows_max(),
  sluice.advance_marks(text, smallint[], timestamptz[], smallint, timestamptz), sluice.age_queue(int, timestamptz),
  sluice.ahead_in_backlog(sluice.backlog), sluice.ahead_in_queue(bigint, int), sluice.backlog_lines(int),
  sluice.candidate_queues(bigint, int, text, int), sluice.claim_from(int, bigint, int, timestamptz),
  sluice.deal(sluice.models, text[], int, timestamptz), sluice.draw_room(int, boolean), sluice.draw_rooms(int, int, int),
  sluice.drop_lanes(text), sluice.explain_backlog(sluice.task, timestamptz),
  sluice.explain_later(sluice.task, sluice.backlog, text, timestamptz),
  sluice.first_below_mark(text, smallint, bigint, timestamptz), sluice.first_turn(text, timestamptz),
  sluice.hold_rows(int, sluice.queue[]), sluice.is_limited(sluice.models, timestamptz), sluice.is_waiting(text[]),
  sluice.judge_rows(sluice.queue[], int, bigint, timestamptz), sluice.lanes_look_max(), sluice.lanes_max(),
  sluice.line_of(int, text), sluice.lower_marks(text, smallint[], timestamptz[], bigint[]),
  sluice.make_lanes(text, smallint[], bigint[]), sluice.mark(int), sluice.next_lane(text, smallint, bigint, smallint, bigint),
  sluice.note_pace(int, timestamptz), sluice.note_put_back(sluice.backlog[]),
  sluice.note_taken(text, sluice.queue[], int, timestamptz), sluice.oldest_waiting(text), sluice.pace(int, timestamptz),
  sluice.peek_rows(int, int), sluice.place(sluice.backlog[], timestamptz), sluice.queue_target(sluice.models, timestamptz),
  sluice.queue_text(int, timestamptz), sluice.reroutable(sluice.models, timestamptz), sluice.reroute(int, timestamptz),
  sluice.ring_line(text), sluice.route_target(text, boolean, timestamptz, bigint), sluice.rows_max(int, float8),
  sluice.segments(text), sluice.set_mark(int, timestamptz), sluice.take_in_route(text, int, int, sluice.backlog[], timestamptz),
  sluice.take_limited_rows(sluice.models, int, timestamptz), sluice.take_rows(int, int, timestamptz),
  sluice.tend(sluice.models, timestamptz), sluice.try_line(text), sluice.urgent_ones(sluice.backlog[], int, int),
  sluice.urgent_room(int, int), sluice.waiting_lanes(text[], timestamptz), sluice.waits_since(sluice.task),
  sluice.was_tended(int, interval, timestamptz), sluice.when_to_retry(sluice.models, bigint, int, timestamptz, float8);
-- Their arguments have other names, or they return something else.
drop function if exists sluice.count_headroom(regclass, int, text, int, bigint, float8, int, int), sluice.depth(int, int),
  sluice.drop_functions(int), sluice.explain_queued(sluice.task, int, timestamptz), sluice.find_place(bigint, int[]),
  sluice.make_functions(int), sluice.oldest_ready(int), sluice.recount_headroom(regclass, int, text, int, bigint, float8, int, int),
  sluice.take_headroom(int, text, int, bigint, float8, int),
  sluice.ring(int), sluice.store_drafts(sluice.draft[], bigint[], bigint[], timestamptz), sluice.tenant_room(text, timestamptz),
  sluice.try_cancel(bigint, int[], timestamptz);
-- Of schema 40: fairness had no memory. With the type go the functions that use it.
drop type if exists sluice.candidate cascade;
drop function if exists sluice.draw(bigint, int), sluice.fair_level(float8[], float8[], float8),
  sluice.first_head(sluice.head[], timestamptz),
  sluice.lane_window(int, smallint, bigint, int, timestamptz), sluice.take_some(sluice.models, sluice.head[], sluice.line_share[], int,
  boolean, timestamptz), sluice.turns_within(sluice.models, sluice.head[], sluice.line_share[], int, boolean, timestamptz),
  sluice.waiting_lanes(int, int, smallint, int, int, timestamptz);
