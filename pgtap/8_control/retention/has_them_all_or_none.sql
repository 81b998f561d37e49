begin;
\set alone
\ir ../../_helpers.sql
select plan(2);

select is(sluice.lock_briefly('sluice.batch, sluice.file', 'access exclusive'), true,
  'it has them');
select is(array(select distinct relation::regclass::text from pg_locks where pid = pg_backend_pid()
  and mode = 'AccessExclusiveLock'
  and relation in ('sluice.batch'::regclass, 'sluice.file'::regclass) order by 1),
    '{sluice.batch,sluice.file}', 'both');

select * from finish();
rollback;
