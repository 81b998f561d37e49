begin;
\set alone
\ir ../../_helpers.sql
select plan(2);

select sluice.look_at_notifications() \g /dev/null
update sluice.settings set events = true;
select setval('sluice.notify_usage', 500) \g /dev/null
select throws_ok($$select sluice.announce(array[1]::bigint[])$$, '53400', null, 'a worker is told');
select is(sluice.announce_ended(array[1]::bigint[]), 0, 'who ends tasks otherwise goes on');
select setval('sluice.notify_usage', 0) \g /dev/null

select * from finish();
rollback;
