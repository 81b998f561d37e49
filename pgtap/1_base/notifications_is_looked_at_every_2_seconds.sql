begin;
\set alone
\ir ../_helpers.sql
select plan(8);

create function seen_s_ago(p_seconds numeric) returns bigint language sql
as $$ select setval('sluice.notify_looked_at',
  ((extract(epoch from clock_timestamp()) - p_seconds) * 1000)::bigint) $$;
create function was_looked_at() returns boolean language sql
as $$ select sluice.since_look_ms(clock_timestamp()) between 0 and 2000 $$;
create function takes_long() returns boolean language sql
as $$ select sluice.since_look_ms(clock_timestamp()) between 2000 and 10000 $$;
select seen_s_ago(1) \g /dev/null
select ok(was_looked_at(), 'a second ago');
select seen_s_ago(3) \g /dev/null
select ok(not was_looked_at(), 'three seconds ago: too long');
select ok(takes_long(), 'if somebody is still at it');
select sluice.notifications_are_scarce() \g /dev/null
select ok(was_looked_at(), 'whoever asks then looks');
select is_empty($$select from pg_locks where pid = pg_backend_pid()
  and classid = sluice.lock_class('notify')$$, 'and keeps no lock');
select ok(not takes_long(), 'who has just begun does not take long');
select seen_s_ago(60) \g /dev/null
select ok(not takes_long(), 'nor is it the look of a minute ago that does');
select seen_s_ago(-60) \g /dev/null
select ok(not was_looked_at(), 'a clock that was set back');

select * from finish();
rollback;
