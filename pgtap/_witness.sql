-- The witness: every call with the true time of its claim, what was reserved for it, and what it
-- used when it ended.
create temp table call (task bigint, fence int, at numeric, ends numeric, reserved bigint,
  used bigint, worker bigint) on commit drop;
create index on call (at);
create temp table measured (requests bigint, tokens bigint, tpm int) on commit drop;
grant all on call, measured to public;

-- take: one claim at true time p_time, by a clock that is p_offset ahead; then measures the window
-- that ends now.
create function take(p_worker bigint, p_max int, p_time numeric, p_offset numeric,
  p_tpm int) returns void language plpgsql
as $$
declare
  v_ids bigint[] := claimed(p_worker, p_max, at(p_time + p_offset));
begin
  insert into call
  select l.task_id, l.fence, p_time, p_time + (random() * random() * 40)::numeric,
    l.reserved_tokens, ceil(l.reserved_tokens * (0.1 + 0.9 * random())), p_worker
  from sluice.lease l where l.task_id = any (v_ids);
  if v_ids <> '{}' then
    insert into measured
    select count(*), sum(case when ends <= p_time then used else reserved end), p_tpm
    from call where at > p_time - 60.25;
  end if;
end
$$;

-- settle_due: tells the calls that have ended by p_time.
create function settle_due(p_time numeric, p_offset numeric) returns void language sql
as $$
  with ended as (
    select sluice.complete(c.worker, array_agg(told(c.task, 'solved', c.fence, http_status => 200,
      input_tokens => (c.used / 2)::int,
      output_tokens => (c.used - c.used / 2)::int)), at(p_time + p_offset))
    from call c join sluice.lease l on l.task_id = c.task and l.fence = c.fence
    where c.ends <= p_time group by c.worker)
  select count(*) from ended
$$;
