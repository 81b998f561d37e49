begin;
\ir ../../_helpers.sql
select plan(5);

select given_model(max_attempts => 3) as a, given_model(max_attempts => 3) as b,
  given_model(max_attempts => 5) as c \gset
select given_route(:'a', :'b') as r \gset
create function attempts(p_task bigint) returns text language sql
as $$ select sluice.attempts_text(t) from sluice.task t where id = p_task $$;
select given_task(:'r') as t \gset
select is(attempts(given_task(:'c')), '5', 'the model''s');
select is(attempts(given_task(:'c', max_attempts => 2)), '2', 'its own');
select is(attempts(:t), '3', 'that of all models of its route');
insert into sluice.routes (route, model) values (:'r', :'c');
select is(attempts(:t), '3 to 5', 'or from the least to the most of them');
select is(attempts(given_task(:'r', max_attempts => 7)), '7', 'unless it has its own');

select * from finish();
rollback;
