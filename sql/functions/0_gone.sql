-- Runs before the new functions are created. Takes those old functions away that would be in their
-- way: with another result type, or with arguments that would make a call ambiguous. The others are
-- left to dropped.sql. Nothing is dropped that a submit under way may need, and no type changes: it
-- goes on with what it began with (D-383).

-- Their successors have an argument more, with a default. Statements that have looked an old one up
-- and not begun it find it by its number: it gets another name, and calls the new one.
do $$
declare
  v record;
begin
  for v in
    select p.oid, p.proname, p.proretset, 'gone_' || p.oid as name,
      pg_get_function_arguments(p.oid) as arguments, pg_get_function_result(p.oid) as result,
      (select string_agg(format('%I => $%s', a.name, a.n), ', ')
        from unnest(p.proargnames[:p.pronargs]) with ordinality a(name, n)) as passed
    from unnest(array['submit(text, text, int, text, timestamptz, timestamptz, text, int, text, '
        'int, jsonb, bigint, text, timestamptz)', 'submit(text, text, int, text, timestamptz, '
        'timestamptz, text, int, text, int, jsonb, bigint, text, text, timestamptz)',
      'submit_each(text[], text[], text[], text[], timestamptz)',
      'submit_array(text, text, text, text, timestamptz)']) f
    join pg_proc p on p.oid = to_regprocedure('sluice.' || f)
  loop
    execute format('alter function %s rename to %I', v.oid::regprocedure, v.name);
    execute format('create or replace function sluice.%I(%s) returns %s language plpgsql as '
      '$body$ begin return %s sluice.%I(%s); end $body$', v.name, v.arguments, v.result,
      case when v.proretset then 'query select * from' end, v.proname, v.passed);
  end loop;
end
$$;

-- And those of these, which no submit needs. Cascade: whoever may connect can make views that call
-- them.
drop function if exists sluice.note_audit(text, text, jsonb, timestamptz),
  sluice.note_command(text, text, jsonb, timestamptz),
  sluice.audit_reading(bigint, timestamptz), sluice.note_reading(bigint, text, timestamptz),
  sluice.make_route_line(text, text), sluice.note_asks(int[], timestamptz),
  sluice.next_work(int[], timestamptz), sluice.first_task_at(sluice.models, timestamptz),
  sluice.live_workers(sluice.models, timestamptz),
  sluice.unserved_text(sluice.models, timestamptz),
  sluice.blocked_text(sluice.models, int, timestamptz), sluice.add_text(int),
  sluice.add_text(int, text), sluice.take_text(), sluice.draw_text(), sluice.lease_text(text),
  sluice.claim_from(int, bigint, int, timestamptz, smallint),
  sluice.note_ask(int, int, double precision, sluice.meter, timestamptz),
  sluice.may_take(int, int, double precision, int, timestamptz),
  sluice.route_weight(int, int, timestamptz),
  sluice.route_meter(int, int, double precision, sluice.meter, boolean, timestamptz) cascade;

-- And these have columns more or less.
drop function if exists sluice.cells_of(sluice.history_look, bigint, bigint, bigint),
  sluice.begin_look(timestamptz),
  sluice.attempt_cells(sluice.history_look), sluice.uncounted_ends(sluice.history_look),
  sluice.uncounted_attempts(sluice.history_look), sluice.request_bounds(text, text),
  sluice.task_bounds(text, text, text, int),
  sluice.call_bounds(sluice.models, text, text, int, sluice.request_bound, int),
  sluice.within_budgets(sluice.models, sluice.turn[], timestamptz),
  sluice.waiting_by_turns(int, numeric, timestamptz) cascade;
-- These no longer return how many rows they removed.
drop function if exists sluice.merge_spent(int, timestamptz), sluice.forget_audit(timestamptz),
  sluice.forget_revisions(timestamptz) cascade;
-- Others took the place of these.
drop function if exists sluice.add_cells(sluice.history_look, bigint, bigint, bigint),
  sluice.expected_cost(sluice.models, bigint, bigint),
  sluice.estimate_object(jsonb, timestamptz), sluice.estimate_takers(jsonb, timestamptz),
  sluice.nanos_max(text, timestamptz, int, int) cascade;

-- These return a type of another name now; and of the others a last default has gone, in databases
-- of between two releases.
do $$
declare
  v regprocedure;
begin
  for v in
    select p.oid from unnest(array['claim(bigint, text[], int, timestamptz)',
      'claim_within(bigint, text[], int[], int, timestamptz)',
      'claim_urgent(bigint, text[], int, timestamptz)', 'requests(bigint, bigint[])',
      'lines_open(sluice.models, int, timestamptz, bigint)',
      'route_share(int, sluice.models, double precision, int, text, int, timestamptz, bigint)',
      'choose(int, sluice.models, double precision, text, int, timestamptz, int)']) f
    join pg_proc p on p.oid = to_regprocedure('sluice.' || f)
    where p.prorettype in (to_regtype('sluice.claimed_task'), to_regtype('sluice.line_share'),
      to_regtype('sluice.line_share[]'))
    union all
    select p.oid from unnest(array['line_of(int, text, text, text, int)',
      'content_sha256(text, text, text, int, text)', 'check_payload(text, text, text, text, int)',
      'end_solved(bigint, sluice.outcome[], bigint[], int[], int[], boolean, timestamptz, '
        'sluice.usage[])', 'end_calls(bigint, sluice.outcome[], timestamptz, sluice.usage[])',
      'judge_late(bigint, sluice.outcome[], int[], timestamptz, sluice.usage[])',
      'store_results(sluice.outcome[], sluice.ended_call[], timestamptz, sluice.usage[])',
      'note_attempts(sluice.outcome[], sluice.ended_call[], timestamptz, sluice.usage[])']) f
    join pg_proc p on p.oid = to_regprocedure('sluice.' || f)
    where p.pronargdefaults > 0
  loop
    execute format('drop function %s cascade', v);
  end loop;
end
$$;

-- No model or route is added until the end: its line would get the old generated functions.
do $$
begin
  lock table sluice.models, sluice.routes in share row exclusive mode;
end
$$;
