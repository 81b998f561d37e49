begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_route(:'m') as r \gset
select id_of(:'m') as id, nextval('sluice.task_id') as a, nextval('sluice.task_id') as b \gset
create function arrival(p_task bigint, p_route text) returns sluice.arrival language sql
as $$ select row(p_task, at(1), at(9), 5, -7, p_route is not null, p_route, 'acme', at(0), 10, 10, true)::sluice.arrival $$;
select sluice.put_aside(arrival(:a, null), :id), sluice.put_aside(arrival(:b, :'r'), :id) \g /dev/null
select row_eq(format('select * from sluice.backlog where task_id = %s', :a),
  row(:a, at(1), at(9), :id, 5, 0, -7, 0, false, null, 'acme')::sluice.backlog, 'as it came');
select is((select model from sluice.backlog where task_id = :b), null, 'a route''s for none of its models');
select is((select route from sluice.backlog where task_id = :b), :'r', 'but for the route');

select * from finish();
rollback;
