-- Notifications, and what happens when there is no space for them. PostgreSQL has one queue of 8 GB
-- for all databases. Any login can fill it in 20 s while a listening session keeps a transaction
-- open. Then every commit that notifies fails with 54000, even after that session has gone, because
-- only a successful notification, or pg_notification_queue_usage(), moves the queue's end.
-- Therefore nobody notifies once the queue is half full; workers notice this and look for work once
-- a second instead.

-- notify: pg_notify, unless notifications are scarce. A transaction that leaves its notification
-- out shares a lock until it commits: check_notifications() reports no recovery before all such
-- transactions are visible.
create or replace function sluice.notify(p_channel text, p_payload text) returns void
language plpgsql volatile
as $$
begin
  if sluice.notifications_are_scarce()
    and pg_try_advisory_xact_lock_shared(sluice.lock_class('notify'), 1)
     and sluice.notifications_are_scarce() then
    return;
  end if;
  perform pg_notify(p_channel, p_payload);
end
$$;

-- notifications_are_scarce: whether the queue of notifications was at least half full at some time
-- in the last 2 s. The first caller that finds this out may still notify, if the queue has space
-- for some seconds more; that is how sleepers hear of it.
create or replace function sluice.notifications_are_scarce() returns boolean
language plpgsql volatile
as $$
declare
  v_was_scarce boolean := sluice.notify_usage() >= sluice.scarce_usage();
  v_usage int;
begin
  if (sluice.since_look_ms(clock_timestamp()) between 0 and 2000) is not true then
    v_usage := sluice.look_at_notifications();
  end if;
  return sluice.notify_usage() >= sluice.scarce_usage()
    and (v_was_scarce or coalesce(v_usage, 1000) >= 900);
end
$$;

-- scarce_usage: the usage of the queue, in thousandths, from which on nobody notifies. KeyRing
-- (src/api) reads the sequence itself and has the same number.
create or replace function sluice.scarce_usage() returns int
language sql immutable parallel safe
as $$ select 500 $$;

-- notify_usage: the usage of the queue last noted, in thousandths.
create or replace function sluice.notify_usage() returns bigint
language sql volatile
as $$ select coalesce(pg_sequence_last_value('sluice.notify_usage'::regclass), 0) $$;

-- since_look_ms: how long ago somebody began the last look, as workers do each second; null: nobody
-- has. (Less than 0 after a clock was set back.) The expression names p_now once, so that it is
-- inlined; else each submit that wakes a sleeper paid a parse and a plan.
create or replace function sluice.since_look_ms(p_now timestamptz) returns double precision
language sql volatile
as $$
  select date_part('epoch', p_now) * 1000
    - pg_sequence_last_value('sluice.notify_looked_at'::regclass)
$$;

-- look_at_notifications: notes how full the queue is, and moves its end. That can take seconds,
-- while gigabytes are removed from the disk, and cannot be interrupted. So only one session looks
-- at a time, and while it has been at it for more than 2 s the queue counts as full. That does not
-- hold if the last look was long ago: then the session has only just begun, and has not noted it
-- yet. A queue noted as half full stays so until check_notifications() clears it.
-- Returns: the usage in thousandths; null: another session is looking.
create or replace function sluice.look_at_notifications() returns int
language plpgsql volatile
as $$
declare
  v_usage int;
begin
  if pg_try_advisory_xact_lock(sluice.lock_class('notify'), 0) then
    perform setval('sluice.notify_looked_at',
      floor(extract(epoch from clock_timestamp()) * 1000)::bigint);
    v_usage := floor(pg_notification_queue_usage() * 1000);
    perform setval('sluice.notify_usage',
      greatest(v_usage, case when sluice.notify_usage() >= sluice.scarce_usage()
        then sluice.scarce_usage() end));
  elsif sluice.since_look_ms(clock_timestamp()) between 2000 and 10000 then
    perform pg_sleep(0.01);  -- so also here: by now it is said
    perform setval('sluice.notify_usage', 1000)
    where sluice.since_look_ms(clock_timestamp()) between 2000 and 10000;
  end if;
  raise exception 'seen';  -- gives the lock back: the caller's transaction may be long
exception when raise_exception then
  return v_usage;
end
$$;

-- check_notifications: looks how full the server's queue of notifications is. Workers call it once
-- a second, in a transaction of its own.
-- Returns: whether notifications are scarce: then nobody notifies, and workers poll.
-- Errors:  54000 the queue has become full; notifications are scarce.
--
-- Clears the state "scarce" once there is space again. It then wakes all sleepers, since submits in
-- between notified nobody. Asleep, workers call it with each look, on a session that can wait. The
-- state is not cleared while a transaction that left out a notification is open: its tasks are not
-- visible yet, and nobody would look again. Sleepers are woken, if possible, when notifications
-- become scarce, too, and look for themselves from then on.
create or replace function sluice.check_notifications() returns boolean
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  v_was_scarce boolean := sluice.notify_usage() >= sluice.scarce_usage();
  v_usage int := sluice.look_at_notifications();
  v_is_scarce boolean;
begin
  if v_usage < sluice.scarce_usage() and v_was_scarce
    and pg_try_advisory_xact_lock(sluice.lock_class('notify'), 1) then
    perform setval('sluice.notify_usage', v_usage);
  end if;
  v_is_scarce := sluice.notify_usage() >= sluice.scarce_usage();
  if v_is_scarce <> v_was_scarce and v_usage < 900 then
    perform set_config('synchronous_commit', 'off', true);  -- until then nobody who comes now knows
    perform pg_notify('sluice_work', '0'), pg_notify('sluice_config', '');
  end if;
  return v_is_scarce;
end
$$;
