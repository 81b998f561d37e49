begin;
\set alone
\ir ../_helpers.sql
select plan(3);

select setval('sluice.notify_usage', 700) \g /dev/null
select sluice.look_at_notifications() \g /dev/null
select is(sluice.notify_usage(), 500::bigint, 'a look alone does not say so');
select ok(not sluice.check_notifications(), 'a check does: there is room');
select is(sluice.notify_usage(), 0::bigint, 'as measured');

select * from finish();
rollback;
