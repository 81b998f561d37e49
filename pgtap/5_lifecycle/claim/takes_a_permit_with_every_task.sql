begin;
\ir ../../_helpers.sql
select plan(5);

select given_model(rpm => 600) as m \gset
select given_worker() as w \gset
select given_tasks(:'m', 20) \g /dev/null
select is((select count(*) from sluice.claim(:w, null, 100, at(1))
  where send_within_ms = sluice.send_within_ms()), 7::bigint,
  'the burst, each with the time in which it must be sent');
select is(sluice.permits_now(model_row(:'m'), at(1)), 0, 'the bucket is empty');
select is(claimed(:w, 100, at(1)), '{}', 'no permit, no task');
select is(cardinality(claimed(:w, 100, at(1.11))), 1, 'the next comes with the next permit');
select is(sluice.depth(id_of(:'m'), 100), 12, 'the others keep their places');

select * from finish();
rollback;
