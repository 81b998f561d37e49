-- What a claim does where tokens or tenants are limited: the same move, but each row is looked at before it is taken.

-- judge_rows: which of p_rows, in their order, may be taken. First each tenant grants the first of its rows; of those the model grants
-- the first p_want, and the head whatever its size while its tokens are not in debt. What a tenant grants is a beginning of its rows, so
-- running sums suffice. The others stay where they are. Late ones are taken, too, to be ended; nothing is reserved for them.
-- Requires the model's lock; tries the tenants': rows of a tenant for which another worker is taking now stay.
-- Returns: of those that may be taken their id, line and place, and what each is to reserve.
create or replace function sluice.judge_rows(p_model sluice.models, p_rows sluice.turn[], p_want int, p_now timestamptz)
returns table (task_id bigint, line int, tokens int, place bigint)
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  v_quota sluice.quota := sluice.token_quota(p_model);
  v_tokens bigint;
  v_estimate boolean := p_model.tpm is not null or exists (select from sluice.tenants t where t.tpm is not null);
begin
  perform sluice.mend_bucket(v_quota, p_now);
  v_tokens := sluice.permits_now(v_quota, p_now);
  return query
  with row as (
    select r.task_id, r.line, r.ordinality as place, t.tenant, coalesce(r.deadline <= p_now, false) as late,
      case when v_estimate then sluice.estimate_tokens(p_model.id, r.request_bytes, t.max_output_tokens) else 0 end as tokens
    from unnest(p_rows) with ordinality r join sluice.task t on t.id = r.task_id),
  allowance as materialized (
    select a.* from sluice.tenant_allowances(array(select distinct r.tenant from row r), p_now) a),
  by_tenant as (
    select r.*, not coalesce(a.busy, false)
        and coalesce(count(*) over own <= a.requests, true)
        and coalesce(sum(r.tokens) over own - r.tokens < a.tokens, true) as granted
    from row r left join allowance a on a.name = r.tenant
    where not r.late
    window own as (partition by r.tenant order by r.place)),
  by_model as (
    select b.*, count(*) over so_far <= p_want and coalesce(sum(b.tokens) over so_far - b.tokens < v_tokens, true) as taken
    from by_tenant b where b.granted
    window so_far as (order by b.place))
  select m.task_id, m.line, m.tokens, m.place from by_model m where m.taken
  union all
  select r.task_id, r.line, 0, r.place from row r where r.late;
end
$$;
