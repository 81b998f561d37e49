-- sluice.take_turns
begin;
\ir ../../_helpers.sql
\ir ../../4_policy/fair_share/_fair_turns.sql
select plan(5);

-- 60 rpm. One tenant has 2,000 waiting, since now or for an hour; then another comes with one.
create function permits_until_small(p_waited numeric, p_priority int default 0,
  p_count int default 2000) returns int language plpgsql
as $$
declare
  v_model text := given_model(rpm => 60);
  v_worker bigint := given_worker(array[v_model]);
  v_small bigint;
begin
  perform waits(v_model, 'big', p_count, 8, p_ready => at(10000 - p_waited));
  insert into sluice.task (id, model, tenant, priority, created_at, prompt)
  select task_id, model, tenant, 0, ready_at, 'question' from sluice.queue
  where model = id_of(v_model);
  v_small := given_task(v_model, p_priority, at(10000), tenant => 'small');
  for v_permit in 1 .. 60 loop
    if v_small = any (claimed(v_worker, 1, at(10000 + 2 * v_permit))) then
      return v_permit;
    end if;
  end loop;
end
$$;
select cmp_ok(max(permits_until_small(0)), '<=', 2, 'one in two is his') from generate_series(1, 5);
select cmp_ok(max(permits_until_small(3600)), '<=', 2, 'also when the others have grown old')
from generate_series(1, 5);
select cmp_ok(permits_until_small(0, 0, 100000), '<=', 2, 'or are very many');
select cmp_ok(permits_until_small(3600, 0, 100000), '<=', 2, 'or both');
select is(max(permits_until_small(0, 10)), 1, 'a higher priority is the next')
from generate_series(1, 3);

select * from finish();
rollback;
