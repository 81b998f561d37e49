begin;
\set alone
\ir ../_helpers.sql
\ir ../_upgrade.sql
select plan(4);

select given_remains(), given_model() as m \gset
select given_route(:'m') as r \gset
insert into sluice.backlog (task_id, ready_at, model, request_bytes, fence, rank, attempts, due, route, tenant) values
  (-1, at(1), id_of(:'m'), 1, 0, 0, 0, true, null, 'default'), (-2, at(1), null, 1, 0, 0, 0, true, :'r', 'default'),
  (-3, at(99), id_of(:'m'), 1, 0, 0, 0, false, null, 'default');
select is(places(-1), 'later', 'until then it is seen by all that looks at what waits');
select is(sluice.move_backlog(at(2)), 2, 'two were ready');
select is(array[places(-1), places(-2), places(-3)], '{queue,queue,later}', 'one waits for its time');
select is_empty('select from sluice.backlog', 'nothing is left');

select * from finish();
rollback;
