begin;
\set alone
\ir ../_helpers.sql
select plan(8);

create function seen_s_ago(p_seconds numeric) returns bigint language sql
as $$ select setval('sluice.notify_looked_at',
  ((extract(epoch from clock_timestamp()) - p_seconds) * 1000)::bigint) $$;
select seen_s_ago(1) \g /dev/null
select ok(sluice.was_looked_at(clock_timestamp()), 'a second ago');
select seen_s_ago(3) \g /dev/null
select ok(not sluice.was_looked_at(clock_timestamp()), 'three seconds ago: too long');
select ok(sluice.takes_long(clock_timestamp()), 'if somebody is still at it');
select sluice.notifications_are_scarce() \g /dev/null
select ok(sluice.was_looked_at(clock_timestamp()), 'whoever asks then looks');
select is_empty($$select from pg_locks where pid = pg_backend_pid()
  and classid = sluice.lock_class('notify')$$, 'and keeps no lock');
select ok(not sluice.takes_long(clock_timestamp()), 'who has just begun does not take long');
select seen_s_ago(60) \g /dev/null
select ok(not sluice.takes_long(clock_timestamp()), 'nor is it the look of a minute ago that does');
select seen_s_ago(-60) \g /dev/null
select ok(not sluice.was_looked_at(clock_timestamp()), 'a clock that was set back');

select * from finish();
rollback;
