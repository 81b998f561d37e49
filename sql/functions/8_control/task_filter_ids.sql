-- Tasks that were chosen by their ids, for jobs. The other conditions hold besides.

-- chosen_lines: the lines in which these tasks wait, if they do.
create or replace function sluice.chosen_lines(p_ids bigint[]) returns int[]
language plpgsql stable
as $$
begin
  return array(select distinct sluice.line_of(t.model, t.route, t.api) from sluice.task t
    where t.id = any (p_ids));
end
$$;

-- chosen_page: the next p_max of the chosen ids, as far as they are in a place and meet the
-- conditions. Locks nothing.
-- Params:  p_place: result, or a table of unfinished tasks; p_unsolved: as for ended_page; p_after:
--          the last id of the page before.
-- Returns: ids, ascending; last: the last id looked at; null: none is left.
create or replace function sluice.chosen_page(
  p_place text, p_filter sluice.task_filter, p_unsolved boolean, p_after bigint, p_until bigint,
  p_max int, out ids bigint[], out last bigint)
language plpgsql volatile
as $$
declare
  v_chosen bigint[] := array(select distinct i from unnest(p_filter.ids) i
    where i > p_after and i <= p_until order by i limit p_max);
  v_here bigint[];
begin
  last := v_chosen[cardinality(v_chosen)];
  if p_place <> 'result' then
    execute format('select array_agg(q.task_id) from sluice.%I q where q.task_id = any ($1)
      and ($2 is null or q.model = $2)', p_place)
    into v_here using v_chosen, p_filter.model;
    ids := array(
      select t.id from sluice.task t
      where t.id = any (v_here) and t.id between v_chosen[1] and last
        and (t.tenant = any (p_filter.tenants)) = p_filter.is_bound
        and (p_filter.route is null or t.route = p_filter.route)
        and sluice.is_meant(p_filter, t, t.created_at)
      order by t.id);
    return;
  end if;
  ids := array(
    select r.task_id from sluice.result r join sluice.task t on t.id = r.task_id
    where r.task_id = any (v_chosen) and r.task_id between v_chosen[1] and last
      and (not p_unsolved or r.status <> 'solved'
        and (p_filter.is_retargeted or sluice.is_served(t.model, t.route)))
      and (t.tenant = any (p_filter.tenants)) = p_filter.is_bound and t.forgotten_at is null
      and sluice.end_is_meant(p_filter, t, r)
    order by r.task_id);
end
$$;
