begin;
\ir ../_helpers.sql
select plan(4);

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

select setseed(0.24);
select given_model(max_queue => 100000) as a \gset
select given_model(rpm => 3000, max_queue => 100000) as b \gset
select given_tenant(rpm => 120, tpm => 40000) as t \gset
select given_worker() as w \gset
select given_worker() as other \gset
select given_task(case when random() < 0.5 then :'a' else :'b' end, tenant => :'t', max_output_tokens => (20 + random() * 500)::int)
from generate_series(1, 250) \g /dev/null

create function drive(p_tenant text, p_models text[], p_workers bigint[]) returns void language plpgsql
as $$
declare
  v_time numeric := 1;
  v_offset numeric := 0;
  v_id int := (select id from sluice.tenants where name = p_tenant);
begin
  while v_time < 120 loop
    v_time := v_time + (random() * 1.5)::numeric;
    if random() < 0.02 then
      perform setval(('sluice.tenant_' || k || v_id)::regclass, 1, false) from unnest(array['bucket_', 'tokens_']) k;
    elsif random() < 0.02 then
      v_offset := v_offset - (random() * 20)::numeric;
    end if;
    perform sluice.admit(m, null, at(v_time + v_offset)) from unnest(p_models) m;
    perform settle_due(v_time, v_offset);
    perform take(p_workers[1 + (random() * 0.99)::int], 1 + (random() * 20)::int, v_time, v_offset, 40000);
  end loop;
end
$$;
select drive(:'t', array[:'a', :'b'], array[:w, :other]) \g /dev/null
select cmp_ok((select count(*) from call), '>', 80::bigint, 'many calls of two models and two workers');
select is_empty('select * from measured where requests > 120', 'never more than the tenant''s rpm');
select is_empty($$select * from measured where tokens >= tpm + (select max(reserved) from call)$$, 'nor a whole request above its tpm');
select is_empty(format($$select from sluice.attempt a join sluice.task t on t.id = a.task_id where t.tenant = %L$$, :'t'),
  'no attempt was charged for waiting');

select * from finish();
rollback;
