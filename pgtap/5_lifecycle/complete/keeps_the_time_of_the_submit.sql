begin;
\ir ../../_helpers.sql
select plan(6);

select given_model() as m, given_worker() as w \gset
-- The times in a result at which its task was created and was last ready.
create function times_of(p_task bigint) returns timestamptz[] language sql
as $$ select array[created_at, queued_at] from sluice.result where task_id = p_task $$;

select given_task(:'m') as t, claimed(:w, 1) \gset
select completed(:w, told(:t, 'solved'), at(2)) \g /dev/null
select is(times_of(:t), array[at(0), at(0)], 'of one that went straight to its worker');

select given_task(:'m', run_at => at(10)) as t \gset
select sluice.wake(at(11)), claimed(:w, 1, at(11)) \g /dev/null
select is((select fence from sluice.lease where task_id = :t), 2,
  'a fence of 1 would say that it never waited elsewhere');
select completed(:w, told(:t, 'solved', 2), at(12)) \g /dev/null
select is(times_of(:t), array[at(0), at(11)], 'of one that waited for its time');

select given_task(:'m') as t \gset
select sluice.cancel(:t, at(1)), sluice.redrive(:t, at(20)), claimed(:w, 1, at(21)) \g /dev/null
select completed(:w, told(:t, 'solved', 2), at(22)) \g /dev/null
select is(times_of(:t), array[at(0), at(20)], 'of one that was redriven before any call');

select given_task(:'m') as t, claimed(:w, 1) \gset
select completed(:w, told(:t, 'returned'), at(3)), claimed(:w, 1, at(4)),
  completed(:w, told(:t, 'solved', 2), at(5)) \g /dev/null
select is(times_of(:t), array[at(0), at(0)], 'of one that came back to its place');

select given_task(:'m') as a, given_task(:'m', run_at => at(30)) as b \gset
select sluice.wake(at(30)), claimed(:w, 2, at(31)) \g /dev/null
select count(*)
from sluice.complete(:w, array[told(:b, 'solved', 2), told(:a, 'solved')], at(32)) \g /dev/null
select is(times_of(:a) || times_of(:b), array[at(0), at(0), at(0), at(30)],
  'of each its own, told together');

select * from finish();
rollback;
