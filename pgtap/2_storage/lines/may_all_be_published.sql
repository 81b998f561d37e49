begin;
\ir ../../_helpers.sql
select plan(3);

-- As for change data capture, or for an upgrade by logical replication.
set local client_min_messages = error;
create publication everything for all tables;
select is_empty($$
  select c.relname from pg_class c
  where c.relnamespace = 'sluice'::regnamespace and c.relkind in ('r', 'p')
    and c.relpersistence = 'p' and c.relreplident = 'd'
    and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)$$,
  'rows of all logged tables may be updated and deleted');

select given_model(rpm => 60) as m \gset
select given_worker() as w \gset
select given_task(:'m', tenant => 'new') as t \gset
select claimed(:w, 1) \g /dev/null
select completed(:w, told(:t, 'solved', answer => 'x')) as done \gset
select ok(:'done', 'a task ends');
select lives_ok(format('select sluice.cancel(%s), sluice.sweep(at(2)), sluice.tick(at(2)),
  sluice.wake(at(2))', given_task(:'m', run_at => at(900))),
  'and what is done by the clock goes on');

select * from finish();
rollback;
