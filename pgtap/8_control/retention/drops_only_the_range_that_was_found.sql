begin;
\set alone
\ir ../../_helpers.sql
select plan(4);

select is(sluice.end_retention(row(0, null, null, null, null)::sluice.retention_round), 0,
  'nothing was found');
select has_table('sluice', 'task_0', 'nothing is dropped');
lock table sluice.task, sluice.result in access exclusive mode;
select is(sluice.end_retention(row(0, 0, 1000000, '{}', null)::sluice.retention_round), 1,
  'a range was');
select hasnt_table('sluice', 'task_0', 'and is dropped');

select * from finish();
rollback;
