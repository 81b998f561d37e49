-- What a claim does where tokens or tenants are limited: the same move, but each row is looked at before it is taken.

-- take_limited_rows: takes from a model's queue, in order, the rows that the model's tokens and their tenants' quotas
-- allow. Where tenants have quotas it looks at 4 rows for each one wanted, at least 20 and at most 4,000. Rows of a
-- tenant without a permit go back to the backlog (hold_rows), so that they do not clog the queue. Rows of a tenant for
-- which another worker is taking now, and those beyond what is granted, stay where they are.
-- Requires the model's lock; tries the tenants'.
-- Returns: gone: the rows taken, late ones among them, for which nothing is reserved; tokens: what each is to reserve.
create or replace function sluice.take_limited_rows(
  p_model sluice.models, p_want int, p_now timestamptz, out gone sluice.queue[], out tokens int[])
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  v_quota sluice.quota := sluice.token_quota(p_model);
  v_tokens bigint;
  v_look int;
  v_rows sluice.queue[];
  v_held sluice.queue[];
begin
  perform sluice.mend_bucket(v_quota, p_now);
  v_tokens := sluice.permits_now(v_quota, p_now);
  if v_tokens <= 0 then
    return;
  end if;
  v_look := least(p_want, 1 + v_tokens / 9);  -- no task reserves less than 9
  if exists (select from sluice.tenants t where t.rpm is not null or t.tpm is not null) then
    v_look := least(4000, greatest(20, 4 * v_look));
  end if;
  v_rows := sluice.peek_rows(p_model.id, v_look);
  select array_agg(j.item) filter (where j.verdict = 'taken'), array_agg(j.tokens) filter (where j.verdict = 'taken'),
    array_agg(j.item) filter (where j.verdict = 'held')
  into take_limited_rows.gone, take_limited_rows.tokens, v_held
  from sluice.judge_rows(v_rows, p_want, v_tokens, p_now) j;
  execute format('delete from sluice.%I where task_id = any ($1)', 'queue_' || p_model.id)
  using array(select g.task_id from unnest(take_limited_rows.gone) g);
  perform sluice.hold_rows(p_model.id, v_held);
  -- Marks stay before the first row looked at: it may have been left.
  perform sluice.note_taken('queue_' || p_model.id, v_rows, v_look, p_now);
end
$$;

-- hold_rows: sends rows of a queue, locked already, back to the backlog because their tenants have no permit, to the
-- places where they began to wait: what came later stays behind them. No attempt is charged.
-- Submits find no room in the queues that those lines feed, or they would pass; the next admission counts it anew.
-- Requires the model's lock; tries the lines': rows of a line that somebody admits from now stay for the next claim.
create or replace function sluice.hold_rows(p_model int, p_rows sluice.queue[]) returns void
language plpgsql volatile
as $$
declare
  v_held sluice.backlog[];
begin
  select array_agg(row(t.id, sluice.waits_since(t), q.deadline, t.model, q.request_bytes, q.fence, -t.priority, q.attempts,
    true, t.route, t.tenant)::sluice.backlog)
  into v_held
  from unnest(p_rows) q join sluice.task t on t.id = q.task_id where sluice.try_line(sluice.line_of(t.model, t.route));
  if v_held is null then
    return;
  end if;
  execute format('delete from sluice.%I where task_id = any ($1)', 'queue_' || p_model)
  using array(select h.task_id from unnest(v_held) h);
  insert into sluice.backlog select h.* from unnest(v_held) h;
  perform sluice.note_put_back(v_held);
  perform sluice.set_counter('room', m.id, m.max_queue) from sluice.models m
  where m.id = p_model or m.name in (
    select r.model from sluice.routes r where r.route in (select h.route from unnest(v_held) h));
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

-- judge_rows: what becomes of each of p_rows, in their order: taken, held (its tenant has no permit), or left. First each
-- tenant grants the first of its rows; of those the model grants the first p_want, and the head whatever its size while
-- its tokens are not in debt. What a tenant grants is a beginning of its rows, so running sums suffice.
-- Held only where too few others are among them: else they are not in the way, keep their places, and are the first when
-- their tenant has a permit. (Sent back they would wait behind the whole queue: of 20 permits a minute one was used.)
create or replace function sluice.judge_rows(p_rows sluice.queue[], p_want int, p_tokens bigint, p_now timestamptz)
returns table (item sluice.queue, verdict text, tokens int)
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  v_estimate boolean := p_tokens is not null or exists (select from sluice.tenants t where t.tpm is not null);
begin
  return query
  with line as (
    select r.item, r.place, (r.item).tenant as tenant, coalesce((r.item).deadline <= p_now, false) as late,
      case when v_estimate then sluice.estimate_tokens((r.item).model, (r.item).request_bytes,
        (select t.max_output_tokens from sluice.task t where t.id = (r.item).task_id)) else 0 end as tokens
    from (select q as item, row_number() over () as place from unnest(p_rows) q) r),
  allowance as materialized (
    select a.* from sluice.tenant_allowances(array(select distinct tenant from line), p_now) a),
  by_tenant as (
    select l.*, a.busy,
      not coalesce(a.busy, false)
        and coalesce(count(*) over own <= a.requests, true)
        and coalesce(sum(l.tokens) over own - l.tokens < a.tokens, true) as granted
    from line l left join allowance a on a.name = l.tenant
    where not l.late
    window own as (partition by l.tenant order by l.place)),
  by_model as (
    select b.place, b.item, b.tokens, case
        when not b.granted then case
          when b.busy or count(*) filter (where b.granted) over () >= p_want
            or sum(b.tokens) filter (where b.granted) over () >= p_tokens then 'left' else 'held' end
        when count(*) filter (where b.granted) over so_far > p_want
          or sum(b.tokens) filter (where b.granted) over so_far - b.tokens >= p_tokens then 'left'
        else 'taken' end as verdict
    from by_tenant b
    window so_far as (order by b.place))
  select j.item, j.verdict, j.tokens
  from (select * from by_model union all select l.place, l.item, 0, 'taken' from line l where l.late) j
  order by j.place;
end
$$;

-- charge_reserved: takes the tokens of new leases from their model's quota, and their calls and tokens from their
-- tenants'.
create or replace function sluice.charge_reserved(p_model sluice.models, p_leases sluice.lease[], p_now timestamptz)
returns void
language plpgsql volatile
as $$
begin
  if p_model.tpm is not null then
    perform sluice.charge_tokens(sluice.token_quota(p_model),
      (select sum(l.reserved_tokens)::bigint from unnest(p_leases) l), p_now);
  end if;
  perform sluice.charge_tenants(p_leases, p_now);
end
$$;
