begin;
\ir ../../_helpers.sql
select plan(7);

select given_model() as m \gset
select given_worker() as w \gset
select given_task(:'m') as t \gset
select given_task(:'m') as other \gset
select claimed(:w, 2) \g /dev/null
select is_empty(format('select * from sluice.heartbeat(%s, at(2))', :w),
  'at first nothing is to be aborted');
select is(sluice.cancel(:t, at(3)), 'processing', 'a worker has it');
select results_eq(format('select task_id, fence from sluice.heartbeat(%s, at(4))', :w),
  format('values (%s::bigint, 1)', :t), 'the next heartbeat names its call, and no other');
select is(sluice.cancel(:t, at(4)), 'processing', 'to cancel twice is no error');
select is(completed(:w, told(:t, 'cancelled'), at(5)), true, 'the worker aborts it');
select results_eq(format('select status, error_code, attempts::int from sluice.result '
                         'where task_id = %s', :t),
  $$values ('cancelled'::text, 'cancelled'::text, 0)$$, 'it ends as cancelled, uncharged');
select is_empty('select from sluice.cancellation', 'and the mark is gone');

select * from finish();
rollback;
