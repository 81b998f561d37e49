begin;
\set alone
\ir ../_helpers.sql
select plan(2);

lock table sluice.task, sluice.result in access exclusive mode;
select is(sluice.readers_of(0), '{}', 'nobody else can have them');
select is((select virtualtransaction = any (sluice.readers_of(0)) from pg_locks where pid = pg_backend_pid() limit 1), false,
  'nor do we count');

select * from finish();
rollback;
