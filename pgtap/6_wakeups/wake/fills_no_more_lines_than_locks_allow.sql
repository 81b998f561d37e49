-- sluice.take_due
begin;
\set alone
\ir ../../_helpers.sql
select plan(3);

create or replace function sluice.wake_lines_max() returns int language sql immutable as 'select 2';
select given_task(given_model(), run_at => at(4 - n)) from generate_series(1, 3) n \g /dev/null
select is(sluice.wake(at(4)), 2, 'two lines');
select is((select min(ready_at) from sluice.later), at(3),
  'those of the first tasks, not of the first models');
select is(sluice.wake(at(4)), 1, 'the third in the next round');

select * from finish();
rollback;
