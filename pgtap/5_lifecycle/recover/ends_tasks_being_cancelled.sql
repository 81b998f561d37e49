begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_worker() as w \gset
select given_task(:'m') as t \gset
select given_task(:'m') as u \gset
select claimed(:w, 2) \g /dev/null
select sluice.cancel(:t, at(2)) \g /dev/null
update sluice.worker set dead_at = at(3) where id = :w;
select is(sluice.recover(null, at(4)), 2, 'both leases are taken back');
select is(array[places(:t), places(:u)], array['cancelled', 'queue'],
  'the cancelled task ends, the other is queued');
select is((select kind from sluice.attempt where task_id = :t), 'lost',
  'its call may have been billed');
select is_empty('select from sluice.cancellation', 'no mark is left');

select * from finish();
rollback;
