-- Vocabulary of the tests of shadows, beside that of _helpers.sql. They need the database alone.

-- arrived: 24 s of load from p_start on: tasks come in bursts four times a second, are claimed at
-- once, and are called for half a second. Shadows look every 10 s. Returns how many calls began
-- later than their tasks came, and by how much in all.
create function arrived(p_model text, p_start numeric, p_tenant text default 'default',
  out delayed bigint, out delay_s numeric, p_every int default 1) language plpgsql
as $$
declare
  v_worker bigint := given_worker(array[p_model], at(p_start));
  v_now timestamptz;
begin
  for k in 0 .. 119 loop
    v_now := at(p_start + k * 0.25);
    if k < 96 and k % p_every = 0 then
      perform given_task(p_model, p_now => v_now, tenant => p_tenant, max_output_tokens => 90)
      from generate_series(1, (k / p_every * 7919) % 13 % 5);
    end if;
    perform sluice.claim(v_worker, null, 1000, v_now + interval '1 ms');
    perform sluice.complete(v_worker, array(
      select told(l.task_id, 'solved', l.fence, input_tokens => 10, output_tokens => 90)
      from sluice.lease l where l.worker = v_worker and l.started_at < v_now - interval '0.5 s'),
      v_now + interval '2 ms');
    perform sluice.heartbeat(v_worker, v_now);
    perform sluice.look_at_shadows(v_now + interval '3 ms') where k % 40 = 39;
  end loop;
  select count(*) filter (where d.s > 0.1), coalesce(sum(d.s) filter (where d.s > 0.1), 0)
  into delayed, delay_s
  from (
    select extract(epoch from r.started_at - r.queued_at) as s from sluice.result r
    where r.queued_at >= at(p_start)
    union all
    select extract(epoch from l.started_at - l.ready_at) from sluice.lease l
    where l.ready_at >= at(p_start)) d;
end
$$;

-- given_bucket: the bucket of a new limit is full, as after a minute.
create function given_bucket(p_kind text, p_id int) returns void language sql
as $$ select setval(format('sluice.%s_%s', p_kind, p_id)::regclass, 0) $$;

-- near: whether a count is within 2 % of another one, or off by one.
create function near(p_counted numeric, p_happened numeric) returns boolean language sql
as $$ select abs(p_counted - p_happened) <= greatest(1, 0.02 * p_happened) $$;
