begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m, given_model() as other, 'r' || txid_current() as route \gset
insert into sluice.routes (route, model, weight) values (:'route', :'m', 1),
  (:'route', :'other', 0);
create function first_task_at(p_model text) returns timestamptz language sql
as $$ select sluice.first_task_at(m, at(1)) from sluice.models m where m.name = p_model $$;
select is(first_task_at(:'m'), null, 'nothing waits');
select sluice.submit('x', :'route', p_now => at(0)) \g /dev/null
select is(first_task_at(:'m'), at(1), 'of a route it may take one at once');
select is(first_task_at(:'other'), null, 'but not with weight 0');
select given_task(:'other') \g /dev/null
select is(first_task_at(:'other'), at(1), 'nor does its own wait behind the route''s');

select * from finish();
rollback;
