-- sluice.claim
begin;
\set alone
\ir ../../_helpers.sql
select plan(5);

select setval('sluice.sweep_after', 0, false) \g /dev/null
select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select given_tasks(:'m', 40, at(1200)) \g /dev/null
select sluice.sweep(at(1200)) \g /dev/null
select is(cardinality(claimed(:w, 40, at(1201))), 40, 'much is claimed');
select isnt(marked(:'m'), '-infinity', 'which leaves a mark');
select given_task(:'m', p_now => at(1)) as t \gset
select is(claimed(:w, 9, at(1)), array[:t]::bigint[],
  'the clock is set back by twenty minutes: what is submitted now is claimed at once');
select sluice.sweep(at(2)) \g /dev/null
select is(marked(:'m'), '-infinity',
  'the sweep does not wait, and removes that mark: its time will come again');
select is((sluice.meter_of(0, 0)).at, at(2), 'and goes on from there');

select * from finish();
rollback;
