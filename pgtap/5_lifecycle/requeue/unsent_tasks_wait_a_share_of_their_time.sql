-- sluice.retry_later
begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
update sluice.models set backoff_base = '1 millisecond', backoff_max = '1 millisecond'
where name = :'m';
select given_worker(array[:'m']) as w, given_task(:'m') as t, given_task(:'m') as old \gset
insert into sluice.attempt (task_id, ended_at, fence, kind, error_code)
  values (:old, at(-1000), 0, 'returned', 'not_sent');
select claimed(:w, 2) \g /dev/null
select sluice.complete(:w, array[unsent(:t), unsent(:old)], at(2)) \g /dev/null
select cmp_ok(ready_at, '<=', at(2.1), 'at first as short as the backoff') from sluice.later
where task_id = :t;
select cmp_ok(ready_at, '>=', at(12), 'after 1,000 s a hundredth of them') from sluice.later
where task_id = :old;

select * from finish();
rollback;
