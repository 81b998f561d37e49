begin;
\ir ../../_helpers.sql
select plan(5);

select given_model(max_queue => 2) as a, given_model(max_queue => 3) as b, given_model() as c \gset
select given_route(:'a', :'b') as r \gset
select given_tasks(:'r', 5) \g /dev/null
select code, message from error_of(format('select given_task(%L)', :'r')) \gset
select is(:'code'::text, 'SL003', 'two and three are five');
select matches(:'message'::text, '^route ', 'of the route');
insert into sluice.routes (route, model) values (:'r', :'c');
select lives_ok(format('select given_tasks(%L, 10)', :'r'), 'one model without a bound is enough');

update sluice.models set max_unfinished = 10, max_queue = null where name in (:'a', :'b');
delete from sluice.routes where route = :'r' and model = :'c';
delete from sluice.queue where task_id in (select id from sluice.task where route = :'r');
select sluice.invalidate_gauges() \g /dev/null
select lives_ok(format('select sluice.accept_for_route(%L, 20, 1, %L)', :'r', at(0)),
  'what one has no room for goes to the other');
select sluice.invalidate_gauges() \g /dev/null
select is((error_of(format('select sluice.accept_for_route(%L, 21, 1, %L)', :'r', at(0)))).code,
  'SL003', 'as long as that has');

select * from finish();
rollback;
