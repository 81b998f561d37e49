begin;
\set alone
\ir ../../_helpers.sql
select plan(7);

select given_model(rpm => 600) as m \gset
select given_worker() as w \gset
select given_tasks(:'m', 100) \g /dev/null
select is(cardinality(claimed(:w, 100, at(1))), 7, 'a burst');
select is(sluice.permits_now(model_row(:'m'), at(3601)), 7, 'an hour ahead there would be another');
select is(sluice.note_clock_jump('1 hour', p_now => at(3601)), at(3601),
  'a worker says that the hour did not pass');
select is(sluice.permits_now(model_row(:'m'), at(3601)), 0, 'nothing is earned');
select is(sluice.permits_now(model_row(:'m'), at(3601.11)), 1, 'the bucket fills from then on');
select is(sluice.permits_now(model_row(:'m'), at(3600)), 7,
  'a clock set back before it knows nothing of it');
select sluice.note_clock_jump('1 s', p_now => '9999-01-01') \g /dev/null
select is(sluice.permits_now(model_row(:'m'), at(3700)), 7,
  'a time that no bucket can reckon with stops no model');

select setval('sluice.clock_jumped_at', 0, false),
  setval('sluice.clock_jumped_by', 0, false) \g /dev/null
select * from finish();
rollback;
