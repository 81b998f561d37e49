-- sluice.invalidate_line_gauges
begin;
\ir ../../_helpers.sql
select plan(4);

select given_model(max_queue => 5) as m \gset
select given_route(:'m') as r \gset
select given_tasks(:'m', 3), given_tasks(:'r', 3) \g /dev/null
update sluice.models set max_queue = null where name = :'m';
select given_tasks(:'m', 50), given_tasks(:'r', 50) \g /dev/null
update sluice.models set max_queue = 5 where name = :'m';
select is((error_of(format('select given_task(%L)', :'m'))).code, 'SL003',
  'what came while there was no bound is counted');
select is((error_of(format('select given_task(%L)', :'r'))).code, 'SL003',
  'so in the routes of the model');
update sluice.models set max_queue = 54 where name = :'m';
select lives_ok(format('select given_task(%L)', :'m'), 'a higher bound holds at once');
select is((error_of(format('select given_task(%L)', :'m'))).code, 'SL003', 'exactly');

select * from finish();
rollback;
