begin;
\ir ../_helpers.sql
select plan(3);

select given_model(max_queue => 2) as a, given_model(max_queue => 3) as b, given_model() as c \gset
select given_route(:'a', :'b') as r \gset
select given_tasks(:'r', 5) \g /dev/null
select code, message from error_of(format('select given_task(%L)', :'r')) \gset
select is(:'code'::text, 'SL003', 'two and three are five');
select matches(:'message'::text, '^route ', 'of the route');
insert into sluice.routes (route, model) values (:'r', :'c');
select lives_ok(format('select given_tasks(%L, 10)', :'r'), 'one model without a bound is enough');

select * from finish();
rollback;
