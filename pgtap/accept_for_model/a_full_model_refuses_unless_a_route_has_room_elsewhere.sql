begin;
\ir ../_helpers.sql
select plan(4);

select given_model() as a, given_model() as b \gset
select given_route(:'a', :'b') as r \gset
update sluice.models set max_unfinished = 10 where name in (:'a', :'b');
select given_tasks(:'a', 9) \g /dev/null
select is(sluice.accept_for_model(id_of(:'a'), null, at(1)), true, 'counted, there is room: 9 of 10');
select given_task(:'a') \g /dev/null
select is((error_of(format('select sluice.accept_for_model(%s, null, %L)', id_of(:'a'), at(1)))).code, 'SL003', 'full: 10 of 10');
select is(sluice.accept_for_model(id_of(:'a'), :'r', at(1)), false, 'a route has room elsewhere: no, but no error');
select given_tasks(:'b', 10) \g /dev/null
select is((error_of(format('select sluice.accept_for_model(%s, %L, %L)', id_of(:'a'), :'r', at(1)))).code, 'SL003',
  'until all its models are full');

select * from finish();
rollback;
