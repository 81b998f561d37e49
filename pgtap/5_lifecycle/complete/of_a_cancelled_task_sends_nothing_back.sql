begin;
\ir ../../_helpers.sql
select plan(6);

select given_model() as m \gset
select given_worker() as w \gset
select given_tasks(:'m', 4) as ids \gset
select claimed(:w, 4) \g /dev/null
select sluice.cancel(id, at(2)) from unnest((:'ids'::bigint[])[1:3]) id \g /dev/null
select sluice.complete(:w, array[told((:'ids'::bigint[])[1], 'retry', error => 'HTTP 500'),
  told((:'ids'::bigint[])[2], 'throttled'),
  told((:'ids'::bigint[])[3], 'returned'), told((:'ids'::bigint[])[4], 'returned')],
    at(3)) \g /dev/null
select is(array(select places(id) from unnest(:'ids'::bigint[]) id),
  array['cancelled', 'cancelled', 'cancelled', 'queue'],
  'retry, throttled and returned end as cancelled; what was not cancelled goes back');
select results_eq(format('select kind, error from sluice.attempt where task_id = %s',
  (:'ids'::bigint[])[1]),
  $$values ('retry'::text, 'HTTP 500'::text)$$, 'the call is in the ledger all the same');
select ok((select closed_until > at(3) from sluice.models where name = :'m'),
  'and the limit hint counts');
select is_empty('select from sluice.cancellation', 'no mark is left');
select is(completed(:w, told((:'ids'::bigint[])[3], 'returned'), at(4)), true,
  'repeated, it answers the same');
select is((select error_code from sluice.result where task_id = (:'ids'::bigint[])[1]), 'cancelled',
  'the result says why');

select * from finish();
rollback;
