begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_worker() as w \gset
select given_tasks(:'m', 2) as ids \gset
select claimed(:w, 2) \g /dev/null
-- Marks of the present call of one task, and of an earlier call of the other.
insert into sluice.cancellation (task_id, worker, at, fence)
values ((:'ids'::bigint[])[1], :w, at(1), 1), ((:'ids'::bigint[])[2], :w, at(1), 0);
select is((select array_agg(l.task_id) from unnest(sluice.end_cancelled(array(select l from sluice.lease l where worker = :w), at(2))) l),
  (:'ids'::bigint[])[2:2], 'a mark of an earlier call does not end this one');
select is((select status from sluice.result where task_id = (:'ids'::bigint[])[1]), 'cancelled', 'that of this call does');
select is((select array_agg(fence) from sluice.cancellation), array[0], 'and is gone');

select * from finish();
rollback;
