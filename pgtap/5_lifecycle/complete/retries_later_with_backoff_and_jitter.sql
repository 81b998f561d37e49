begin;
\ir ../../_helpers.sql
select plan(7);

select setseed(0.5);
select given_model(max_attempts => 100) as m \gset
update sluice.models set backoff_base = '1 s', backoff_max = '10 s' where name = :'m';
select given_worker() as w \gset
insert into sluice.task (id, created_at, model, priority, tenant, prompt)
select -n, at(0), id_of(:'m'), 0, 'default', 'x' from generate_series(1, 400) n;
insert into sluice.lease (task_id, worker, ready_at, started_at, model, request_bytes, fence, rank,
  attempts, tenant)
select -n, :w, at(0), at(0), id_of(:'m'), 1, 1, 0, n % 4 * 3, 'default'
from generate_series(1, 400) n;
select sluice.complete(:w, array(select told(task_id, 'retry') from sluice.lease where worker = :w),
  at(0)) \g /dev/null
create temp table wait on commit drop as
select attempts - 1 as before, extract(epoch from ready_at - at(0)) as s from sluice.later
where task_id < 0;
select is(count(*), 400::bigint, 'all wait for their time, one attempt charged') from wait
where before in (0, 3, 6, 9);
select ok(bool_and(s > 0 and s <= least(10, 2 ^ before)),
  'never longer than base * 2^attempts, or backoff_max') from wait;
select ok(max(s) > 0.9 * least(10, 2 ^ before) and min(s) < 0.1 * least(10, 2 ^ before),
  format('full jitter after %s', before))
from wait group by before order by before;
select is((select count(*) from sluice.later where task_id < 0 and fence = 1), 400::bigint,
  'each carries its fence');

select * from finish();
rollback;
