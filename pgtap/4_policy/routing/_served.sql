-- served: claims as workers make them, p_rounds times: every model is claimed from alike, whatever
-- its weight. Calls end before the next round but for one, so that something is always in flight.
create function served(p_worker bigint, p_models text[], p_rounds int, p_max int,
  p_start numeric default 0)
returns void language plpgsql
as $$
declare
  v_now timestamptz;
begin
  for v_round in 1 .. p_rounds loop
    v_now := at(p_start + v_round * 0.25);
    perform sluice.claim(p_worker, null, p_max, v_now);
    perform sluice.complete(p_worker, array(
      select row(l.task_id, l.fence, 'solved', 'x', null, null, null, null, null, null, null,
        null)::sluice.outcome
      from (select l.*, row_number() over (partition by l.model order by l.task_id) as nth
            from sluice.lease l where l.worker = p_worker) l where l.nth > 1), v_now);
  end loop;
end
$$;
-- share_of: percent of the tasks of p_route that p_model has solved or has in hand.
create function share_of(p_model text, p_route text) returns numeric language sql
as $$
  select round(100.0 * count(*) filter (where coalesce(l.model, m.id) = id_of(p_model)) / count(*),
    1)
  from sluice.task t left join sluice.lease l on l.task_id = t.id
  left join sluice.result r on r.task_id = t.id left join sluice.models m on m.name = r.model
  where t.route = p_route and coalesce(l.model, m.id) is not null
$$;
-- taken: how many tasks a claim gives a worker, which answers them at once.
create function taken(p_worker bigint, p_at timestamptz, p_max int default 64) returns int
language plpgsql
as $$
declare
  v_taken int;
begin
  select count(*) into v_taken from sluice.claim(p_worker, null, p_max, p_at);
  perform sluice.complete(p_worker, array(select told(l.task_id, 'solved', l.fence)
    from sluice.lease l where l.worker = p_worker), p_at);
  return v_taken;
end
$$;
