begin;
\set alone
\ir ../../_helpers.sql
select plan(3);

select setval('sluice.intact', 1) \g /dev/null
select ok(sluice.are_intact(), 'noted');
select setval('sluice.intact', 0, false) \g /dev/null
select ok(not sluice.are_intact(), 'a crash takes the note, too');
select is_empty($$select from pg_locks where pid = pg_backend_pid()
  and relation = 'sluice.intact'::regclass
  and mode = 'AccessShareLock'$$, 'the look keeps no lock');

select * from finish();
rollback;
