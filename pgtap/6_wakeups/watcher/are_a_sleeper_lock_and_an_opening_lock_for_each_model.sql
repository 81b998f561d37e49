begin;
\ir ../../_helpers.sql
select plan(3);

select is(sluice.sleeper_locks_of(array[1, 65, 3]), array[1, 3, 65, 67],
  'models share them, 64 apart');
select is(sluice.sleeper_locks_of(array[1, 65, 3], array[1, 3]), array[1, 65, 67],
  'a lock is kept for whoever of its models is open');
select is(sluice.sleeper_locks_of('{}'), '{}', 'no model, no lock');

select * from finish();
rollback;
