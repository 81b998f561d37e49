begin;
\ir ../_helpers.sql
select plan(5);

select given_model() as open \gset
select given_model() as paused \gset
select given_model() as closed \gset
select given_route(:'open', :'paused', :'closed') as r \gset
update sluice.models set paused = true where name = :'paused';
update sluice.models set closed_until = at(10) where name = :'closed';

select set_eq(format('select (sluice.route_target(%L, false, at(5), n)).id from generate_series(1, 100) n', :'r'),
  array[id_of(:'open')], 'only the open model is drawn');
select set_eq(format('select (sluice.route_target(%L, false, at(10), n)).id from generate_series(1, 100) n', :'r'),
  array[id_of(:'open'), id_of(:'closed')], 'a closure ends at its time');
update sluice.models set paused = true where name in (:'open', :'closed');
select is((sluice.route_target(:'r', false, at(10), 1)).id, null, 'none is, if none is open');
select is(places(given_task(:'r')), 'backlog', 'such a task waits in the backlog');
select is(places(given_task(:'paused')), 'queue', 'a task that names its model stays with it');

select * from finish();
rollback;
