-- What a claim does where tokens or tenants are limited: the same move, but each row is looked at before it is taken.

-- take_limited_rows: takes from a model's queue, in order, the rows that the model's tokens and their tenants' quotas allow.
-- Looks at 4 rows for each one wanted, at least 100 and at most 4,000. Rows of a tenant without a permit go back to the
-- backlog until its next ones, so that they do not clog the queue; no attempt is charged. Rows of a tenant for which
-- another worker is taking now, and those beyond what is granted, stay where they are.
-- Requires the model's lock; tries the tenants'.
-- Returns: gone: the rows taken, late ones among them, for which nothing is reserved; tokens: what each is to reserve.
create or replace function sluice.take_limited_rows(
  p_model sluice.models, p_want int, p_now timestamptz, out gone sluice.queue[], out tokens int[])
language plpgsql volatile
as $$
declare
  v_quota sluice.quota := sluice.token_quota(p_model);
  v_look int := least(4000, greatest(100, 4 * p_want));
  v_tokens bigint;
  v_rows sluice.queue[];
  v_held sluice.backlog[];
begin
  perform sluice.mend_bucket(v_quota, p_now);
  v_tokens := sluice.permits_now(v_quota, p_now);
  if v_tokens <= 0 then
    return;
  end if;
  v_rows := sluice.peek_rows(p_model.id, v_look);
  with judged as materialized (select * from sluice.judge_rows(v_rows, p_want, v_tokens, p_now))
  select array_agg(v_rows[j.place] order by j.place) filter (where j.verdict = 'taken'),
    array_agg(j.tokens order by j.place) filter (where j.verdict = 'taken'),
    array_agg(row(t.id, j.held_until, t.deadline, t.model, (v_rows[j.place]).request_bytes, (v_rows[j.place]).fence,
      (v_rows[j.place]).rank, (v_rows[j.place]).attempts, false, t.route, t.tenant)::sluice.backlog)
      filter (where j.verdict = 'held')
  into gone, tokens, v_held
  from judged j join sluice.task t on t.id = (v_rows[j.place]).task_id
  where j.verdict <> 'left';
  execute format('delete from sluice.%I q using (select g.task_id from unnest($1) g union all
                  select h.task_id from unnest($2) h) x where q.task_id = x.task_id', 'queue_' || p_model.id)
  using gone, v_held;
  insert into sluice.backlog select h.* from unnest(v_held) h;
  -- Marks stay before the first row looked at: it may have been left.
  perform sluice.note_taken('queue_' || p_model.id, v_rows, v_look, p_now);
end
$$;

-- peek_rows: the first p_max rows of a model's queue, in order, locked; null if it is empty.
create or replace function sluice.peek_rows(p_model int, p_max int) returns sluice.queue[]
language plpgsql volatile
as $$
declare
  v_rows sluice.queue[];
begin
  execute format($sql$
    with pick as materialized (
      select q.* from sluice.segments(%1$L) s
      cross join lateral (
        select q.* from sluice.%1$I q
        where (q.rank, q.ready_at) >= (s.lo_rank, s.lo_ready) and q.rank <= s.hi_rank
        order by q.rank, q.ready_at, q.task_id
        limit $1
        for update skip locked) q
      limit $1)
    select array_agg(row(p.task_id, p.ready_at, p.deadline, p.model, p.request_bytes, p.fence, p.rank, p.attempts,
      p.tenant)::sluice.queue order by p.rank, p.ready_at, p.task_id)
    from pick p
    $sql$, 'queue_' || p_model)
  into v_rows using p_max;
  return v_rows;
end
$$;

-- judge_rows: what becomes of each of p_rows: taken, held (its tenant has no permit: until held_until), or left.
-- First each tenant grants the first of its rows; of those the model grants the first p_want, and the head whatever its
-- size while its tokens are not in debt. What a tenant grants is a beginning of its rows, so running sums suffice.
-- Held rows come back one by one, at their tenant's pace, 10 s later at most: a raised limit is followed by then.
create or replace function sluice.judge_rows(p_rows sluice.queue[], p_want int, p_tokens bigint, p_now timestamptz)
returns table (place int, verdict text, tokens int, held_until timestamptz)
language plpgsql volatile
as $$
#variable_conflict use_column
begin
  return query
  with item as (
    select r.place::int, r.tenant, coalesce(r.deadline <= p_now, false) as late,
      sluice.estimate_tokens(r.model, r.request_bytes, t.max_output_tokens) as tokens
    from unnest(p_rows) with ordinality
      r(task_id, ready_at, deadline, model, request_bytes, fence, rank, attempts, tenant, place)
    join sluice.task t on t.id = r.task_id),
  allowance as materialized (
    select a.* from sluice.tenant_allowances(array(select distinct tenant from item), p_now) a),
  by_tenant as (
    select i.*, a.busy, a.next_at, a.ns_per_request, a.ns_per_token,
      not coalesce(a.busy, false)
        and coalesce(count(*) over own <= a.requests, true)
        and coalesce(sum(i.tokens) over own - i.tokens < a.tokens, true) as granted
    from item i left join allowance a on a.name = i.tenant
    where not i.late
    window own as (partition by i.tenant order by i.place)),
  by_model as (
    select b.place, b.tokens, case
        when not b.granted then case when b.busy then 'left' else 'held' end
        when count(*) filter (where b.granted) over line > p_want
          or sum(b.tokens) filter (where b.granted) over line - b.tokens >= p_tokens then 'left'
        else 'taken' end as verdict,
      p_now + least(interval '10 seconds', b.next_at - p_now + interval '1 microsecond' * greatest(
        (count(*) over denied - 1) * b.ns_per_request, (sum(b.tokens) over denied - b.tokens) * b.ns_per_token) / 1000)
        as held_until
    from by_tenant b
    window line as (order by b.place), denied as (partition by b.tenant, b.granted order by b.place))
  select m.place, m.verdict, m.tokens, m.held_until from by_model m
  union all
  select i.place, 'taken', 0, null from item i where i.late;
end
$$;

-- charge_reserved: takes the tokens of new leases from their model's quota, and their calls and tokens from their tenants'.
create or replace function sluice.charge_reserved(p_model sluice.models, p_leases sluice.lease[], p_now timestamptz)
returns void
language plpgsql volatile
as $$
begin
  if p_model.tpm is not null then
    perform sluice.charge_tokens(sluice.token_quota(p_model), (select sum(l.reserved_tokens) from unnest(p_leases) l), p_now);
  end if;
  perform sluice.charge_tenants(p_leases, p_now);
end
$$;
