-- sluice.tell_workers
begin;
\ir ../../_helpers.sql
select plan(2);

-- The notification is not to be seen before the commit, which tests/e2e/test_wakeups.py waits for.
select has_trigger('sluice', 'routes', 'after_route_weight', 'there is one');
select lives_ok(format('insert into sluice.routes (route, model, weight) values (%L, %L, 2)',
  'r-' || pg_backend_pid(), given_model()), 'a new model of a route goes in');

select * from finish();
rollback;
