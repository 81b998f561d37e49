begin;
\set alone
\ir ../_helpers.sql
select plan(6);

-- notify's locks: of the one who left it, and of all who notify.
create function left_it() returns boolean language sql
as $$
  select exists (select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()
    and mode = 'ShareLock'
    and classid = sluice.lock_class('notify') and objid = 1)
$$;
select is(sluice.look_at_notifications(), 0, 'the queue of a test is empty');
select setval('sluice.notify_usage', 499) \g /dev/null
savepoint told;
select ok(not sluice.notifications_are_scarce(), 'below a half there is room');
select sluice.notify('sluice_work', '0');
select ok(not left_it(), 'so it notifies');
rollback to told;
select setval('sluice.notify_usage', 500) \g /dev/null
select ok(sluice.notifications_are_scarce(), 'at a half there is none');
select sluice.notify('sluice_work', '0');
select ok(left_it(), 'so it leaves that, and says so until the commit');
select is(sluice.notify_usage(), 500::bigint, 'it is not for him to say that things are well');
select setval('sluice.notify_usage', 0) \g /dev/null

select * from finish();
rollback;
