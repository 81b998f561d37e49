begin;
\ir ../_helpers.sql
select plan(3);

-- The witness: every call with the true time of its claim, what was reserved for it, and what it used when it ended.
create temp table call (task bigint, fence int, at numeric, ends numeric, reserved bigint, used bigint, worker bigint) on commit drop;
create index on call (at);
create temp table measured (requests bigint, tokens bigint, tpm int) on commit drop;
grant all on call, measured to public;

-- take: one claim at true time p_time, by a clock that is p_offset ahead; then measures the window that ends now.
create function take(p_worker bigint, p_max int, p_time numeric, p_offset numeric, p_tpm int) returns void language plpgsql
as $$
declare
  v_ids bigint[] := claimed(p_worker, p_max, at(p_time + p_offset));
begin
  insert into call
  select l.task_id, l.fence, p_time, p_time + (random() * random() * 40)::numeric, l.reserved_tokens,
    ceil(l.reserved_tokens * (0.1 + 0.9 * random())), p_worker
  from sluice.lease l where l.task_id = any (v_ids);
  if v_ids <> '{}' then
    insert into measured
    select count(*), sum(case when ends <= p_time then used else reserved end), p_tpm from call where at > p_time - 60.25;
  end if;
end
$$;

-- settle_due: tells the calls that have ended by p_time.
create function settle_due(p_time numeric, p_offset numeric) returns void language sql
as $$
  with ended as (
    select sluice.complete(c.worker, array_agg(told(c.task, 'solved', c.fence, http_status => 200, input_tokens => (c.used / 2)::int,
      output_tokens => (c.used - c.used / 2)::int)), at(p_time + p_offset))
    from call c join sluice.lease l on l.task_id = c.task and l.fence = c.fence
    where c.ends <= p_time group by c.worker)
  select count(*) from ended
$$;

select setseed(0.42);
select given_model(rpm => 600, tpm => 60000, max_queue => 100000) as m \gset
select given_worker() as w \gset
select given_task(:'m', prompt => repeat('x', (random() * 4000)::int), max_output_tokens => (20 + random() * 1500)::int)
from generate_series(1, 1500) \g /dev/null

-- Five minutes with crashes, a clock that is set back, and a limit that changes.
create function drive(p_model text, p_worker bigint) returns void language plpgsql
as $$
declare
  v_time numeric := 1;
  v_offset numeric := 0;
  v_tpm int := 60000;
begin
  while v_time < 300 loop
    v_time := v_time + (random() * 2)::numeric;
    if random() < 0.03 then
      perform forget_counter(k, p_model) from unnest(array['bucket', 'tokens', 'learned']) k;
    elsif random() < 0.03 then
      v_offset := v_offset - (random() * random() * 600)::numeric;
    elsif random() < 0.02 then
      v_tpm := (20000 + random() * 100000)::int;
      update sluice.models set tpm = v_tpm where name = p_model;
      update sluice.models set limits_changed_at = at(v_time + v_offset) where name = p_model;
    end if;
    perform settle_due(v_time, v_offset);
    perform take(p_worker, 1 + (random() * 20)::int, v_time, v_offset, v_tpm);
  end loop;
end
$$;
select drive(:'m', :w) \g /dev/null
select cmp_ok((select count(*) from call), '>', 100::bigint, 'a hundred calls and more');
select is_empty($$select * from measured where tokens >= tpm + (select max(reserved) from call)$$,
  'what was used and what is reserved, in the minute before each claim, is never above tpm by a whole request');
select is_empty('select * from measured where requests > 600', 'and the requests are never more than rpm');

select * from finish();
rollback;
