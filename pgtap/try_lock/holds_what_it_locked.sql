begin;
\set alone
\ir ../_helpers.sql
select plan(2);

select is(sluice.try_lock('sluice.migration', 'share', 1), true, 'a free table is locked');
select ok(exists (select from pg_locks where relation = 'sluice.migration'::regclass and mode = 'ShareLock'
  and pid = pg_backend_pid() and granted), 'until the end of the transaction');

select * from finish();
rollback;
