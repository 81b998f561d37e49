begin;
\set alone
\ir ../../_helpers.sql
select plan(2);

select is(sluice.lock_briefly('batch'), true, 'it has its lock');
select is(array(select mode from pg_locks where pid = pg_backend_pid()
  and relation = 'sluice.batch'::regclass), '{ShareLock}', 'which readers share');

select * from finish();
rollback;
