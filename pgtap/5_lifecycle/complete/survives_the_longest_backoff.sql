-- sluice.complete
begin;
\ir ../../_helpers.sql
select plan(2);

select given_model(max_attempts => 100) as m \gset
update sluice.models set backoff_base = '24 hours', backoff_max = '24 hours' where name = :'m';
select given_worker() as w \gset
select given_task(:'m') as t \gset
select claimed(:w, 1) \g /dev/null
update sluice.lease set attempts = 98 where task_id = :t;
select lives_ok(format('select completed(%s, told(%s, ''retry''))', :w, :t),
  'a day, doubled 98 times, does not overflow');
select cmp_ok((select ready_at from sluice.later where task_id = :t), '<=', at(86402),
  'and is still a day');

select * from finish();
rollback;
