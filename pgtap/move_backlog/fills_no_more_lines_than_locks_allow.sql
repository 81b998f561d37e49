begin;
\set alone
\ir ../_helpers.sql
\ir ../_upgrade.sql
select plan(3);

select given_remains() \g /dev/null
create or replace function sluice.wake_lines_max() returns int language sql immutable as 'select 2';
insert into sluice.backlog (task_id, ready_at, model, request_bytes, fence, rank, attempts, due, tenant)
select -n, at(1), id_of(given_model()), 1, 0, 0, 0, true, 'default' from generate_series(1, 5) n;
select is(sluice.move_backlog(at(2)), 2, 'two lines');
select is(sluice.move_backlog(at(2)), 2, 'two more');
select is(sluice.move_backlog(at(2)), 1, 'the last');

select * from finish();
rollback;
