begin;
\set alone
\ir ../../_helpers.sql
select plan(2);

create or replace function sluice.wake_lines_max() returns int language sql immutable as 'select 2';
select given_task(given_model(), run_at => at(1)) from generate_series(1, 3) \g /dev/null
select is(sluice.wake_later(at(2)), 2, 'two lines');
select is(sluice.wake_later(at(2)), 1, 'the third in the next round');

select * from finish();
rollback;
