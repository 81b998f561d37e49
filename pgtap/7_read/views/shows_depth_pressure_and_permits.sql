begin;
\ir ../../_helpers.sql
select plan(8);

select given_model(rpm => 600) as m \gset
update sluice.models set max_unfinished = 10 where name = :'m';
select given_worker() as w \gset
create function pressure(p_model text) returns text language sql
as $$ select concat_ws(' ', depth, in_flight, unfinished, pressure) from sluice.queues
  where model = p_model $$;
select is(pressure(:'m'), '0 0 0 normal', 'an empty queue');
select given_tasks(:'m', 6) \g /dev/null
select is(pressure(:'m'), '6 0 6 normal', 'six of ten unfinished');
select claimed(:w, 2) \g /dev/null
select is(pressure(:'m'), '4 2 6 normal', 'calls are unfinished too');
select given_task(:'m') \g /dev/null
select is(pressure(:'m'), '5 2 7 warning', '70 %');
select given_tasks(:'m', 2) \g /dev/null
select is(pressure(:'m'), '7 2 9 critical', '90 %');
select given_task(:'m') \g /dev/null
select is(pressure(:'m'), '8 2 10 overflow', '100 %');
select is(round(sustained_rpm), 592::double precision,
  'the sustained rate is what the window allows')
from sluice.queues where model = :'m';
select is((select count(*) from sluice.queues where model = :'m' and not paused
  and closed_until is null), 1::bigint, 'one row a model');

select * from finish();
rollback;
