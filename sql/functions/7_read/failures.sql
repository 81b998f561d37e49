-- Dead letters in groups: what fails, how often, since when.

-- merged_groups: groups of the same model, error code and message as one.
create or replace function sluice.merged_groups(p_groups sluice.error_group[])
returns sluice.error_group[]
language sql immutable
as $$
  select array(
    select row(g.model, g.error_code, g.message, sum(g.count), min(g.first_at), max(g.last_at),
      max(g.sample_id))::sluice.error_group
    from unnest(p_groups) g group by g.model, g.error_code, g.message)
$$;

-- failures_step: groups of the failed tasks among the next p_looks results that are not solved,
-- with ids below p_before. Each distinct error is normalised once.
-- Params:  as failure_groups.
-- Returns: groups; looked_at; last_id: the last one it looked at; null: there is none left.
create or replace function sluice.failures_step(
  p_model text, p_tenant text, p_since timestamptz, p_before bigint, p_looks int,
  out groups sluice.error_group[], out looked_at int, out last_id bigint)
language plpgsql volatile
as $$
declare
  v_scope record := sluice.caller_scope();
  v_sees_all boolean := not v_scope.bound and v_scope.tenants = '{}' and p_tenant is null;
begin
  with seen as materialized (
    select r.task_id, r.status, r.model, r.error_code, r.error, r.finished_at from sluice.result r
    where r.status <> 'solved' and r.task_id < p_before order by r.task_id desc limit p_looks),
  own as materialized (
    select s.* from seen s
    where s.status = 'failed' and (v_sees_all or exists (select from sluice.task t
      where t.id = s.task_id and (t.tenant = any (v_scope.tenants)) = v_scope.bound
        and (p_tenant is null or t.tenant = p_tenant) offset 0))),
  raw as materialized (
    select o.model, o.error_code, o.error, count(*) as n, min(o.finished_at) as first_at,
      max(o.finished_at) as last_at, max(o.task_id) as sample_id
    from own o
    where (p_model is null or o.model = p_model) and (p_since is null or o.finished_at >= p_since)
    group by o.model, o.error_code, o.error)
  select sluice.merged_groups(array(select row(w.model, w.error_code,
      sluice.normal_message(w.error), w.n, w.first_at, w.last_at, w.sample_id)::sluice.error_group
      from raw w)),
    count(*), min(s.task_id)
  into groups, looked_at, last_id from seen s;
end
$$;

-- failure_groups: groups of the newest failed tasks of the caller's tenants: the 500 most frequent.
-- It looks at 100,000 results that are not solved at most, and begins no step after look_time().
-- Params:  p_model: at which they failed; p_tenant: only this one's; p_since: failed from then on;
--          p_before: ids below this one; each may be null.
-- Returns: groups: the most frequent first; looked_at; next_before: null: it has seen all.
create or replace function sluice.failure_groups(
  p_model text, p_tenant text, p_since timestamptz, p_before bigint,
  out groups sluice.error_group[], out looked_at int, out next_before bigint)
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  c_looked_at_max constant int := 100000;
  c_step_lasts constant interval := '15 ms';  -- or so: one that takes longer halves the next one
  v_begun timestamptz := clock_timestamp();
  v_step_begun timestamptz;
  v_looks int := 500;
  v_step record;
begin
  groups := '{}';
  looked_at := 0;
  next_before := coalesce(p_before, 9223372036854775807);
  loop
    v_step_begun := clock_timestamp();
    v_looks := least(v_looks, c_looked_at_max - looked_at);
    v_step := sluice.failures_step(p_model, p_tenant, p_since, next_before, v_looks);
    groups := groups || v_step.groups;
    looked_at := looked_at + v_step.looked_at;
    next_before := case when v_step.looked_at = v_looks then v_step.last_id end;
    exit when next_before is null or looked_at >= c_looked_at_max
      or clock_timestamp() >= v_begun + sluice.look_time();
    v_looks := case when clock_timestamp() < v_step_begun + c_step_lasts then 2 * v_looks
      else greatest(250, v_looks / 2) end;
  end loop;
  groups := array(select g from unnest(sluice.merged_groups(groups)) g
    order by g.count desc, g.last_at desc, g.model, g.message limit 500);
end
$$;

-- dead_letter_groups: the failed tasks of the caller's tenants, by model, error code and message
-- without its numbers, the most frequent first; 500 groups at most. It looks at the newest 100,000
-- results that are not solved, for 100 ms or so; a notice says when there may be more.
-- Params:  model: at which they failed; tenant: of this tenant; since: failed from then on; before:
--          ids below this one.
-- Errors:  SL009 not this caller's tenant.
create or replace function sluice.dead_letter_groups(
  model text default null, tenant text default null, since timestamptz default null,
  before bigint default null)
returns setof sluice.error_group
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  v_found record;
begin
  perform sluice.require_collation(dead_letter_groups.model);
  if dead_letter_groups.tenant is not null then
    perform sluice.require_tenant(dead_letter_groups.tenant);
  end if;
  v_found := sluice.failure_groups(dead_letter_groups.model, dead_letter_groups.tenant,
    dead_letter_groups.since, dead_letter_groups.before);
  if v_found.next_before is not null then
    raise notice 'looked at % results', v_found.looked_at
      using hint = format('There may be more: before => %s.', v_found.next_before);
  end if;
  return query select g.* from unnest(v_found.groups) g;
end
$$;
