-- Budgets as administrators write and read them.

-- before_budget_changes: refuses what no constraint can: an unknown zone, a model or route that
-- does not exist, a hard budget of a model without a price.
create or replace function sluice.before_budget_changes() returns trigger
language plpgsql security definer
set search_path = sluice, pg_temp
as $$
begin
  -- that view reads all files of zones: 0.2 s
  if new.zone <> 'UTC' and (tg_op = 'INSERT' or new.zone <> old.zone)
    and not exists (select from pg_timezone_names z where z.name = new.zone) then
    raise exception 'there is no time zone "%"', left(new.zone, 200) using errcode = '23514',
      column = 'zone', hint = 'Such as Europe/Prague; pg_timezone_names lists them.';
  elsif new.scope in ('model', 'route')
    and (tg_op = 'INSERT' or (new.scope, new.subject) is distinct from (old.scope, old.subject))
    and not sluice.keep_name(new.subject, new.scope) then
    raise exception 'there is no % "%"', new.scope, left(new.subject, 200) using errcode = '23514',
      column = 'subject', hint = 'Known are ' || sluice.first_names(case new.scope
        when 'model' then array(select m.name from sluice.models m order by m.name)
        else array(select distinct r.route from sluice.routes r order by r.route) end) || '.';
  elsif new.is_hard and new.scope = 'model'
     and sluice.nanos_max(new.subject, clock_timestamp(), 0, 0) is null then
    raise exception 'model "%" has no price, and a hard budget counts what it costs', new.subject
      using errcode = '23514', column = 'subject',
      hint = 'Set its prices first, of input and output: sluice price set, or '
        'sluice.set_price().';
  end if;
  return new;
end
$$;

-- after_budget_changes: notes in the models whether there are budgets; lets tasks that the budget
-- parked try again, those that fit, if only its limit has changed; forgets marks that one with a
-- higher limit has not reached; removes what belongs to a deleted one; and tells the workers. At
-- commit, so that claims wait for no open psql.
-- Locks:   waits for lock_class('budget') 1, and keeps it: another session may make the first
--          budget, delete the last one, or add a model meanwhile; then rows of models. It passes
--          over waiting tasks that somebody has locked, for that may be a submitter whose
--          transaction stays open: look_at_budgets wakes what is left.
create or replace function sluice.after_budget_changes() returns trigger
language plpgsql security definer
set search_path = sluice, pg_temp
as $$
declare
  c_limits constant text[] := array['limit_nanos', 'marks', 'name'];
  v_id int := coalesce(old.id, new.id);
begin
  perform pg_advisory_xact_lock(sluice.lock_class('budget'), 1);
  if tg_op = 'UPDATE' and to_jsonb(new) - c_limits = to_jsonb(old) - c_limits then
    perform sluice.wake_waiting(new, new.limit_nanos
      - sluice.budget_account(new, clock_timestamp()), clock_timestamp());
  elsif tg_op <> 'INSERT' then
    perform sluice.wake_all_waiting(array[v_id], null, clock_timestamp(), '');
  end if;
  if tg_op = 'UPDATE' and new.limit_nanos > old.limit_nanos then
    delete from sluice.budget_mark k using sluice.budget_sums(new, clock_timestamp()) s
    where k.budget = v_id and k.window_from = sluice.marks_from(new, clock_timestamp())
      and (k.per_cent = 0 or (s.total - s.held) * 100 < new.limit_nanos * k.per_cent);
  end if;
  if tg_op = 'DELETE' then
    delete from sluice.budget_call c where c.budget = v_id;
    delete from sluice.budget_spent s where s.budget = v_id;
    delete from sluice.budget_mark k where k.budget = v_id;
  end if;
  update sluice.models m set is_budgeted = b.are_any
  from (select exists (select from sluice.budgets) as are_any) b where m.is_budgeted <> b.are_any;
  perform sluice.notify('sluice_config', '');
  return null;
end
$$;

create or replace trigger before_budget_changes before insert or update on sluice.budgets
  for each row execute function sluice.before_budget_changes();
-- Constraint triggers know no "or replace", and it was none once.
do $$
begin
  if not exists (select from pg_trigger where tgname = 'after_budget_changes'
    and tgconstraint <> 0) then
    drop trigger if exists after_budget_changes on sluice.budgets;
    create constraint trigger after_budget_changes after insert or update or delete
      on sluice.budgets deferrable initially deferred
      for each row execute function sluice.after_budget_changes();
  end if;
end
$$;

-- budget_changes: columns of budgets as clients name them: limit, in whole units, is limit_nanos.
-- Errors:  SL004 unknown keys; a limit that is no number of nano-units, or given twice.
create or replace function sluice.budget_changes(p_values jsonb, p_columns text[]) returns jsonb
language plpgsql immutable
as $$
declare
  v_nanos numeric;
begin
  perform sluice.check_columns(p_values, p_columns || array['limit']);
  if not p_values ? 'limit' then
    return p_values;
  end if;
  if jsonb_typeof(p_values -> 'limit') = 'number' and not p_values ? 'limit_nanos' then
    v_nanos := sluice.in_nanos((p_values ->> 'limit')::numeric);
  end if;
  if (scale(v_nanos) = 0 and v_nanos between 1000 and 1e24) is not true then
    raise exception 'limit % is no limit', left(p_values ->> 'limit', 100) using errcode = 'SL004',
      column = 'limit',
      hint = 'A number from 0.000001 on, with nine decimals at most, in place of limit_nanos.';
  end if;
  return p_values - 'limit' || jsonb_build_object('limit_nanos', v_nanos);
end
$$;

-- budget_rows: how budgets stand, in whole units.
-- Params:  name: of one; null: all.
-- Returns: rows in the order of names.
create or replace function sluice.budget_rows(
  name text default null, p_now timestamptz default null)
returns setof sluice.budget_row
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  v_now timestamptz := sluice.now_for(p_now);
begin
  return query
  select b.name, b.scope, b.subject, b.period, b.zone, b.rolling,
    sluice.in_units(b.limit_nanos), b.is_hard, b.at_limit, b.reroute_to, b.marks,
    sluice.in_units(s.total - s.held), sluice.in_units(s.held),
    sluice.in_units(b.limit_nanos - s.total), sluice.window_from(b, v_now),
    sluice.window_until(b, v_now),
    w.waiting,
    array(select k.per_cent from sluice.budget_mark k where k.budget = b.id
      and k.at >= sluice.window_from(b, v_now) and k.per_cent > 0 order by k.per_cent),
    case when b.period <> 'rolling' or w.waiting > 0 then (
      select max(k.at) from sluice.budget_mark k where k.budget = b.id
        and k.at >= sluice.window_from(b, v_now) and k.per_cent = 0) end,
    b.limit_nanos
  from sluice.budgets b cross join lateral sluice.budget_sums(b, v_now) s
  cross join lateral (
    select count(*) as waiting from sluice.budget_wait w
    where w.budget = b.id and w.until > v_now
      and (select l.ready_at from sluice.later l where l.task_id = w.task_id) = w.until) w
  where budget_rows.name is null or b.name = budget_rows.name order by b.name;
end
$$;

-- budget_excesses: models whose backends have told in the last day that calls cost more than they
-- can have cost, in whole units: hard budgets have booked what they held.
create or replace function sluice.budget_excesses()
returns table (model text, calls bigint, told numeric, booked numeric)
language sql volatile security definer
set search_path = sluice, pg_temp
as $$
  select c.model, count(*), sluice.in_units(sum(c.told_nanos)), sluice.in_units(sum(c.nanos))
  from (
    select distinct on (c.task_id, c.fence) c.* from sluice.budget_call c
    where c.told_nanos is not null) c
  group by c.model order by c.model
$$;

-- models_text: whose lack is told: "model a has", or "models a, b have".
create or replace function sluice.models_text(p_names text[]) returns text
language sql immutable
as $$
  select case cardinality(p_names) when 1 then format('model %s has', p_names[1])
    else format('models %s have', sluice.some_text(p_names)) end
$$;

-- budget_failures: the models at which tasks that hard budgets count fail, however little is spent:
-- what a call costs there is not known, or has no bound.
-- Params:  name: of one budget; null: all.
-- Returns: for all budgets of which the same is true: their names; unpriced: models without a
--          price; unbounded: models without max_output_tokens, at which tasks without one of their
--          own fail; why: in words.
create or replace function sluice.budget_failures(
  name text default null, p_now timestamptz default null)
returns table (budgets text[], unpriced text[], unbounded text[], why text)
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  v_now timestamptz := sluice.now_for(p_now);
begin
  return query
  with model as materialized (
    select m.name, sluice.nanos_max(m.name, v_now, 1,
        case when m.api = 'openai-embeddings' then 0 else 1 end) is null as unpriced,
      sluice.answer_max(m) is null as unbounded
    from sluice.models m),
  budget as (
    select array_agg(b.name order by b.name) as names, f.unpriced, f.unbounded
    from sluice.budgets b
    cross join lateral (select l.models from sluice.limits_of(b.subject) l) l
    cross join lateral (
      select coalesce(array_agg(m.name order by m.name) filter (where m.unpriced), '{}')
          as unpriced,
        coalesce(array_agg(m.name order by m.name) filter (where m.unbounded), '{}') as unbounded
      from model m
      where case b.scope when 'model' then m.name = b.subject
        when 'route' then exists (select from sluice.routes r where r.route = b.subject
          and r.model = m.name and r.weight > 0)
        when 'tenant' then l.models is null or m.name = any (l.models)
          or exists (select from sluice.routes r where r.route = any (l.models)
            and r.model = m.name and r.weight > 0)
        else true end) f
    where b.is_hard and (budget_failures.name is null or b.name = budget_failures.name)
      and f.unpriced || f.unbounded <> '{}'
    group by f.unpriced, f.unbounded)
  select b.names, b.unpriced, b.unbounded, concat_ws('; ',
    case when b.unpriced <> '{}' then format('%s no price: tasks that %s fail there',
      sluice.models_text(b.unpriced), c.counts) end,
    case when b.unbounded <> '{}' then format('%s no max_output_tokens: tasks without one of their '
      'own that %s fail there', sluice.models_text(b.unbounded), c.counts) end)
  from budget b
  cross join lateral (select case cardinality(b.names)
      when 1 then format('budget %s counts', b.names[1])
      else format('budgets %s count', sluice.some_text(b.names)) end as counts) c
  order by b.names[1];
end
$$;
