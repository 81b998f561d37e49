begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_route(:'m') as r \gset
select ok(sluice.try_line('queue_' || id_of(:'m')) and sluice.try_line('backlog_' || id_of(:'m')) and sluice.try_line('route_' || :'r'),
  'all three are free');
select set_has($$select classid::int, objid::bigint from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()$$,
  format('values (sluice.lock_class(''model''), %s::bigint), (sluice.lock_class(''admit''), %s)', id_of(:'m'), id_of(:'m')),
  'a queue: its model''s; a backlog: its admitter''s');
select is((select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()
  and classid = sluice.lock_class('route')), 1::bigint, 'a route: the route''s');

select * from finish();
rollback;
