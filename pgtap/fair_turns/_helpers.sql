-- waits: p_count tasks of a tenant, ready one second after the other.
create function waits(
  p_model text, p_tenant text, p_count int, p_bytes int default 4, p_rank int default 0, p_ready timestamptz default at(0),
  p_deadline timestamptz default null) returns void language sql
as $$
  insert into sluice.backlog (task_id, ready_at, deadline, model, request_bytes, fence, rank, attempts, due, tenant)
  select nextval('sluice.task_id'), p_ready + n * interval '1 ms', p_deadline, id_of(p_model), p_bytes, 0, p_rank, 0, true,
    p_tenant
  from generate_series(1, p_count) n
$$;

-- turns: what a round deals to p_places, in order.
create function turns(p_model text, p_places int, p_now timestamptz default at(60))
returns table (place bigint, task_id bigint, tenant text, tokens float8, aged smallint) language sql
as $$
  select t.ordinality, t.task_id, b.tenant, sluice.task_tokens(b.request_bytes), t.aged
  from unnest(sluice.fair_turns(sluice.waiting_lanes(array['backlog_' || id_of(p_model)], p_now), p_places, p_now))
    with ordinality t
  join sluice.backlog b on b.task_id = t.task_id
$$;
