-- Shadows of budgets.

-- budget_calls_max: how many calls of one budget a look reads, half a second's work: of each it
-- works out anew what it may have cost.
create or replace function sluice.budget_calls_max() returns int
language sql immutable parallel safe
as $$ select 5000 $$;

-- ended_budget_calls: the calls of a budget that ended since a shadow's last look, in the order of
-- their beginnings: at, model, what they cost, and need: what they could have cost at most (null:
-- any sum).
-- Params:  as begun_calls.
create or replace function sluice.ended_budget_calls(
  p_shadow sluice.shadow, p_budget int, p_until timestamptz,
  p_max int default sluice.budget_calls_max())
returns table (at timestamptz, ended_at timestamptz, model sluice.models, route text,
  nanos numeric, need numeric)
language plpgsql stable
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan  -- else each call's price is planned anew, 0.3 ms
as $$
begin
  return query
  with ended as materialized (
    select c.* from sluice.budget_call c
    where c.ended_at > p_shadow.looked_at and c.ended_at <= p_until and c.budget = p_budget
    order by c.ended_at limit p_max + 1)
  select e.at, e.ended_at, m, t.route, e.nanos,
    case when b.fault is null then sluice.nanos_max(m.name, e.at, b.input, b.output) end
  from ended e join sluice.models m on m.name = e.model cross join lateral (
    select t.* from sluice.task t where t.id = e.task_id limit 1) t
  cross join lateral sluice.call_bounds(m, t.prompt, t.request, t.max_output_tokens, t.bounds,
    sluice.parse_bytes_max()) b
  where (select count(*) from ended) <= p_max or e.ended_at < (select max(l.ended_at) from ended l)
  order by e.at;
end
$$;

-- count_over_budget: counts the calls that a changed budget would not have let begin, by what
-- at_limit says. Only what it would have let begin counts as spent.
-- Returns: the shadow, with what is spent, as it is after the look.
create or replace function sluice.count_over_budget(p_shadow sluice.shadow, p_until timestamptz)
returns sluice.shadow
language plpgsql volatile
as $$
declare
  v_budget sluice.budgets := (
    select jsonb_populate_record(b, p_shadow.changes) from sluice.budgets b
    where b.name = p_shadow.name);
  v record;
  v_from timestamptz;
  v_action text;
  v_calls int := 0;
  v_last timestamptz;
  v_hours sluice.shadow_hour[] := '{}';
begin
  for v in select * from sluice.ended_budget_calls(p_shadow, v_budget.id, p_until) loop
    v_from := sluice.window_from(v_budget, v.at);
    if v_from > p_shadow.spent_from then
      p_shadow.spent_from := v_from;
      p_shadow.spent := 0;
    end if;
    v_action := case when v_budget.is_hard and v_from = p_shadow.spent_from
      and not coalesce(p_shadow.spent + v.need <= v_budget.limit_nanos, false)
      then case when v_budget.at_limit = 'reroute' and v_budget.reroute_to <> (v.model).name
        then 'reroute'
        else sluice.over_action(row(null, case when v.route is null then 1 else -1 end,
          v_budget.id, case when v.need is null then 'unbounded' when v.need > v_budget.limit_nanos
            then 'too_large' else 'spent' end, v.need)::sluice.over_budget, v_budget) end end;
    if v_action is null and v_from = p_shadow.spent_from then
      p_shadow.spent := p_shadow.spent + v.nanos;
    end if;
    v_hours := v_hours || row(p_shadow.id, date_trunc('hour', v.at, 'UTC'), (v.model).name, 1,
      (coalesce(v_action, 'park') = 'park')::int, coalesce(v_action = 'park', false)::int,
      case v_action when 'park'
        then sluice.seconds_between(v.at, sluice.window_until(v_budget, v.at)) else 0 end,
      coalesce(v_action = 'refuse', false)::int)::sluice.shadow_hour;
    v_calls := v_calls + 1;
    v_last := greatest(v_last, v.ended_at);
  end loop;
  perform sluice.add_shadow_hours(v_hours);
  p_shadow.looked_at := sluice.looked_until(v_calls, sluice.budget_calls_max(), v_last, p_until);
  return p_shadow;
end
$$;
