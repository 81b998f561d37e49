begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_route(:'m') as r \gset
select given_task(:'r') as t \gset
delete from sluice.routes where route = :'r';
set constraints all immediate;
select is(places(:t), 'queue', 'a task of a route that is no more waits on');
select sluice.cancel(:t, at(1)) \g /dev/null
set local role sluice_owner;
select sluice.try_drop_route(:'r');
reset role;
select is(own_line(:'r'), null, 'when nothing waits its lines go');

select * from finish();
rollback;
