begin;
\ir ../_helpers.sql
select plan(4);

select given_model() as m, given_model() as n \gset
select given_task(:'m', run_at => at(9)) as t \gset
select is(sluice.is_waiting(array['backlog_' || id_of(:'n'), 'backlog_' || id_of(:'m')]), false, 'not what waits for its time');
select sluice.wake_later(at(9)) \g /dev/null
select is(sluice.is_waiting(array['backlog_' || id_of(:'n'), 'backlog_' || id_of(:'m')]), true, 'what waits in any of the lines');
select is(sluice.is_waiting(array['backlog_' || id_of(:'n')]), false, 'not in another');
select is(sluice.is_waiting('{}'), false, 'nor in none');

select * from finish();
rollback;
