-- sluice.wake, sluice.take_due
-- The attack: where sluice.later had one row when a session planned, each row of a flood was
-- compared with each wanted one: 3.2 s a call at 50,000, in which no task of another was claimed.
begin;
\set alone
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_task(:'m', run_at => at(2), p_now => at(1)), sluice.wake(at(3)) \g /dev/null
insert into sluice.later (task_id, ready_at, model, request_bytes, fence, rank, attempts, tenant)
select -n, at(10), id_of(:'m'), 1, 0, n % 100, 0, 'flood' from generate_series(1, 50000) n;
select clock_timestamp() as started \gset
select is(sluice.wake(at(11)), 1500, 'a call takes as many as it may');
select is(sluice.wake(at(12)), 1500, 'and the next');
select ok(clock_timestamp() - :'started'::timestamptz < interval '1.5 s', 'soon');

select * from finish();
rollback;
