begin;
\ir ../../_helpers.sql
select plan(1);

select given_model() as m \gset
update sluice.models set backoff_base = '1 microsecond' where name = :'m';
select given_worker() as w \gset
select given_task(:'m') as t \gset
select claimed(:w, 1) \g /dev/null
select sluice.retry_later(array[told(:t, 'retry', retry_after_ms => -5)],
  array(select row(1, l)::sluice.ended_call from sluice.lease l where l.worker = :w), at(2));
select is((select ready_at from sluice.later where task_id = :t), at(2.001),
  'a millisecond later at the earliest');

select * from finish();
rollback;
