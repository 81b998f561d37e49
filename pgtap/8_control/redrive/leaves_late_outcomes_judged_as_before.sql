begin;
\ir ../../_helpers.sql
select plan(4);

select given_model(max_attempts => 1) as m \gset
select given_worker() as w \gset
select given_worker() as lost \gset
select given_task(:'m') as t \gset
select given_task(:'m') as u \gset
select task_id as c from sluice.claim(:w, null, 1, at(1)) \gset
select task_id as l from sluice.claim(:lost, null, 1, at(1)) \gset
select completed(:w, told(:c, 'cancelled'), at(2)) \g /dev/null
update sluice.worker set dead_at = at(2) where id = :lost;
select sluice.recover(null, at(3)) \g /dev/null
select is(array[places(:c), places(:l)], array['cancelled', 'failed'],
  'one was cancelled, one lost for good');
select sluice.redrive(:c, at(4)), sluice.redrive(:l, at(4)) \g /dev/null
select is(completed(:w, told(:c, 'cancelled'), at(5)), true, 'a repeated outcome answers the same');
select is(completed(:lost, told(:l, 'solved', answer => 'late'), at(5)), false,
  'that of a lost worker is late');
select is((select answer from sluice.attempt where task_id = :l and kind = 'late'), 'late',
  'and kept');

select * from finish();
rollback;
