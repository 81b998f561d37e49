-- waits: p_count tasks of a tenant, ready one millisecond after the other, straight in the line of
-- a model or route.
create function waits(
  p_name text, p_tenant text, p_count int, p_bytes int default 4, p_rank int default 0,
    p_ready timestamptz default at(0),
  p_deadline timestamptz default null) returns void language plpgsql
as $$
declare
  v_line int := own_line(p_name);
begin
  execute format('insert into sluice.%I (task_id, ready_at, deadline, model, request_bytes, fence,
    rank, attempts, tenant)
    select nextval(''sluice.task_id''), $1 + n * interval ''1 ms'', $2,
      case when $3 > 0 then $3 end, $4, 0, $5, 0, $6
    from generate_series(1, $7) n', 'queue_' || sluice.line_name(v_line))
  using p_ready, p_deadline, v_line, p_bytes, p_rank, p_tenant, p_count;
  perform sluice.note_deadlines(v_line, p_deadline, p_deadline), sluice.notify_ready(v_line);
end
$$;

-- turns: what a claim of p_places takes of all that waits for p_name, in order.
create function turns(p_name text, p_places int, p_now timestamptz default at(60))
returns table (place bigint, task_id bigint, tenant text, tokens float8, rank int,
  deadline timestamptz) language sql
as $$
  select t.ordinality, t.task_id, q.tenant, sluice.task_tokens(q.request_bytes), t.rank, q.deadline
  from unnest(sluice.fair_turns(id_of(p_name), sluice.open_heads(own_line(p_name), 1000, p_now),
    '{}', p_places, p_now)) with ordinality t
  join sluice.queue q on q.task_id = t.task_id
$$;

-- turned: a turn of a tenant at effective rank 0, from p_start to p_finish.
create function turned(p_tenant text, p_start float8, p_finish float8, p_level float8 default null,
  p_line int default 0)
returns sluice.turn language sql
as $$
  select row(0, p_line, 1, 0, sluice.tenant_key(p_tenant), null, null, 4, 1, 0, p_start, p_finish,
    coalesce(p_level, p_start), false)::sluice.turn
$$;

-- clock: a tenant's clock at a model, rank 0; null: the level.
create function clock(p_model text, p_tenant text default null) returns float8 language sql
as $$ select sluice.clock_of(id_of(p_model), 0::smallint, coalesce(sluice.tenant_key(p_tenant),
  sluice.level_key())) $$;

-- shares: received / promised of each tenant, in tokens, of the leases of a model, all of them
-- having waited throughout.
create function shares(p_model text) returns table (tenant text, tokens bigint, share numeric)
  language sql
as $$
  select g.tenant, g.tokens,
    round((g.tokens / sum(g.tokens) over () * sum(w.weight) over () / w.weight)::numeric, 3)
  from (select l.tenant, sum(sluice.task_tokens(l.request_bytes))::bigint as tokens
    from sluice.lease l where l.model = id_of(p_model)
        group by 1) g
  cross join lateral (select coalesce((select t.weight from sluice.tenants t
    where t.name = g.tenant), 1) as weight) w
$$;

-- round_at: a round through the lanes of p_line.
create function round_at(p_model text, p_next bigint, p_begins float8 default 0,
  p_ends float8 default 10, p_passed int default 0,
  p_taken int default 0, p_rank int default 0) returns sluice.lane_round language sql
as $$ select row(id_of(p_model), id_of(p_model), 0, p_rank, p_next, p_begins, p_ends, p_passed,
  p_taken)::sluice.lane_round $$;
