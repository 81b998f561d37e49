begin;
\set alone
\ir ../_helpers.sql
\ir ../_upgrade.sql
select plan(7);

select is(sluice.has_moves(), false, 'not in a new database');
select given_remains(), id_of(given_model()) as m \gset
select is(sluice.has_moves(), false, 'nor where nothing waited');
insert into sluice.rung (model, rung_at) values (:m, at(0));
select is(sluice.has_moves(), true, 'something was rung for');
select is(sluice.move_backlog(at(1)), 0, 'which is no task');
select results_eq('select rung_at from sluice.rung where line = ' || :m, array[at(0)], 'it is a line''s now');
insert into sluice.backlog (task_id, ready_at, model, request_bytes, fence, rank, attempts, due, tenant)
values (-1, at(1), :m, 1, 0, 0, 0, true, 'default');
select is(sluice.has_moves(), true, 'something waits');
select is((sluice.look_around(array[:m], at(1))).work, true, 'so nobody sleeps');

select * from finish();
rollback;
