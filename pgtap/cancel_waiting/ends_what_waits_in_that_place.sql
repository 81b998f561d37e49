begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as m \gset
select array[given_task(:'m'), given_task(:'m', run_at => at(50)), given_task(:'m', run_at => at(50))] as ids \gset
select is(sluice.cancel_waiting('later', (:'ids'::bigint[])[1:2], at(1)), 1, 'one of the two is there');
select is(array(select places(id) from unnest(:'ids'::bigint[]) id), array['queue', 'cancelled', 'later'], 'and nothing else ends');
select is((select (error_code, error) from sluice.result where task_id = (:'ids'::bigint[])[2]),
  row('cancelled'::text, 'cancelled before a worker could start it'::text), 'its result says how');

select * from finish();
rollback;
