-- waits: p_count tasks of a tenant, ready one millisecond after the other, straight in the line of a model or route.
create function waits(
  p_name text, p_tenant text, p_count int, p_bytes int default 4, p_rank int default 0, p_ready timestamptz default at(0),
  p_deadline timestamptz default null) returns void language plpgsql
as $$
declare
  v_line int := own_line(p_name);
begin
  execute format('insert into sluice.%I (task_id, ready_at, deadline, model, request_bytes, fence, rank, attempts, tenant)
    select nextval(''sluice.task_id''), $1 + n * interval ''1 ms'', $2, case when $3 > 0 then $3 end, $4, 0, $5, 0, $6
    from generate_series(1, $7) n', 'queue_' || sluice.line_name(v_line))
  using p_ready, p_deadline, v_line, p_bytes, p_rank, p_tenant, p_count;
  perform sluice.ring(v_line);
end
$$;

-- turns: what a claim of p_places takes of all that waits for p_name, in order.
create function turns(p_name text, p_places int, p_now timestamptz default at(60))
returns table (place bigint, task_id bigint, tenant text, tokens float8, rank int, deadline timestamptz) language sql
as $$
  select t.ordinality, t.task_id, q.tenant, sluice.task_tokens(q.request_bytes), t.rank, q.deadline
  from unnest(sluice.fair_turns(sluice.open_heads(own_line(p_name), 1000, p_now), p_places, p_now)) with ordinality t
  join sluice.queue q on q.task_id = t.task_id
$$;
