begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_route(:'m') as r \gset
select ok(not sluice.is_waiting(own_line(:'r')), 'nothing');
select given_task(:'r', run_at => at(50)) \g /dev/null
select ok(not sluice.is_waiting(own_line(:'r')), 'what waits for its time is not ready');
select given_task(:'r') \g /dev/null
select ok(sluice.is_waiting(own_line(:'r')), 'then one is');

select * from finish();
rollback;
