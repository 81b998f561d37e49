-- What the calls of a claim may cost. Verbatim requests are parsed when they are submitted, while
-- there are budgets (D-406).

-- needs_of: what the calls of p_turns may cost, for each budget that counts them: 'unbounded
-- unread' for a request whose bounds are not kept. Late rows have none: they end.
create or replace function sluice.needs_of(
  p_model sluice.models, p_turns sluice.turn[], p_now timestamptz)
returns sluice.budget_need[]
language plpgsql volatile
as $$
declare
  v_prices sluice.prices[] := sluice.prices_at(p_model.name, p_now);
begin
  return (
    select coalesce(array_agg(row(t.ordinality, k.id, b.id, n.nanos, n.why)::sluice.budget_need
      order by t.ordinality, b.id), '{}')
    from unnest(p_turns) with ordinality t cross join lateral (
      select k.id, k.route, k.tenant, k.api_key, k.metadata,
        -- here, for as a join its result would be kept by the whole text
        (select row(null, b.input, b.output, b.fault)::sluice.request_bound from sluice.call_bounds(
          p_model, k.prompt, k.request, k.max_output_tokens, k.bounds, 0) b) as bounds
      from sluice.task k where k.id = t.task_id limit 1) k
    cross join lateral (select array(select b.id from sluice.budgets_of(p_model.name, k.route,
      k.tenant, k.api_key, k.metadata) b) as ids offset 0) c
    cross join lateral (select (k.bounds).input, (k.bounds).output, (k.bounds).fault offset 0) m
    cross join lateral (select
        case when m.fault is null then (select y.nanos
          from sluice.nanos_by(v_prices, m.input, m.output, 1, m.input) y) end as nanos,
        case when m.fault is not null or m.input is null or m.output is null
          then concat_ws(' ', 'unbounded', m.fault) else 'unpriced' end as why
      where c.ids <> '{}' offset 0) n
    cross join lateral unnest(c.ids) b(id)
    where coalesce(t.deadline > p_now, true));
end
$$;

-- unread_of: the places of tasks in a claim whose requests would have to be parsed.
create or replace function sluice.unread_of(p_needs sluice.budget_need[]) returns bigint[]
language sql immutable
as $$
  select array(select distinct n.place from unnest(p_needs) n where n.why = 'unbounded unread'
    order by n.place)
$$;

-- read_needs: needs_of, with requests parsed whose bounds are not kept: in one transaction until
-- they have parse_bytes_max, and the last of them to its end.
-- Returns: unread: the places of the others, which have no needs.
create or replace function sluice.read_needs(
  p_model sluice.models, p_turns sluice.turn[], p_now timestamptz,
  out needs sluice.budget_need[], out unread bigint[])
language plpgsql volatile
as $$
declare
  v_parsed bigint;
  v_ids bigint[];
begin
  needs := sluice.needs_of(p_model, p_turns, p_now);
  unread := sluice.unread_of(needs);
  if unread = '{}' then
    return;
  end if;
  v_parsed := coalesce(nullif(current_setting('sluice.bytes_parsed', true), '')::bigint, 0);
  select array_agg(u.task_id), coalesce(max(u.until), v_parsed) into v_ids, v_parsed
  from (select t.task_id, t.request_bytes,
      v_parsed + sum(t.request_bytes) over (order by t.ordinality) as until
    from unnest(p_turns) with ordinality t where t.ordinality = any (unread)) u
  where u.until - u.request_bytes < sluice.parse_bytes_max();
  if v_ids is not null then
    perform set_config('sluice.bytes_parsed', v_parsed::text, true);
    -- Kept, so that no claim parses one twice; not what another transaction has locked, and none
    -- while retention has the lock: it waits for nothing.
    if pg_try_advisory_xact_lock_shared(sluice.lock_class('retain'), 1) then
      update sluice.task t set bounds = sluice.kept_bounds(p_model.api, t.request)
      where t.id = any (array(select k.id from sluice.task k where k.id = any (v_ids)
        for update skip locked));
    end if;
    needs := sluice.needs_of(p_model, p_turns, p_now);
    unread := sluice.unread_of(needs);
  end if;
  needs := array(select n from unnest(needs) n where n.place <> all (unread)
    order by n.place, n.budget);
end
$$;
