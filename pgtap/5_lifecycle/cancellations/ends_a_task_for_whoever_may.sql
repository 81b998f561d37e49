begin;
\ir ../../_helpers.sql
select plan(7);

select given_model() as m \gset
select given_route(:'m') as r \gset
select given_worker() as w \gset
select given_task(:'m') as waits, given_task(:'r') as routed,
  given_task(:'m', run_at => at(100)) as later \gset
create function cancelled(p_task bigint) returns text language sql
as $$ select sluice.cancel_found(t.id, t.model, t.route, at(5)) from sluice.task t
  where t.id = p_task $$;
select is(cancelled(:waits), 'cancelled', 'in a queue');
select is(cancelled(:routed), 'cancelled', 'on a route');
select is(cancelled(:later), 'cancelled', 'before its time');
select is(cancelled(:waits), 'cancelled', 'twice');
select given_task(:'m') as runs \gset
select claimed(:w, 1) \g /dev/null
select is(cancelled(:runs), 'processing', 'a worker has it');
select completed(:w, told(:runs, 'solved')) \g /dev/null
select is(cancelled(:runs), 'solved', 'and has solved it');
select is_empty(format('select from sluice.audit where object = any (%L)',
  array[:waits, :routed, :later, :runs]::text[]), 'who asked for it notes it');

select * from finish();
rollback;
