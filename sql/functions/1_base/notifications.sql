-- Notifications, and what happens when there is no room for them. PostgreSQL has one queue for all
-- databases, of 8 GB. Any login may fill it in 20 s, while a session that listens has a transaction
-- open; then every commit that notifies fails with 54000, and goes on failing when that session is
-- gone: only a notification that succeeds, or pg_notification_queue_usage(), moves the queue's end.
-- So nobody notifies from a half on; workers, who see it, look for work once a second instead.

-- notify: what pg_notify does, if there is room. Who leaves it shares a lock until the commit:
-- check_notifications() calls nothing well before all of them can be seen.
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

-- notifications_are_scarce: whether the queue of notifications was at least half full 2 s ago or
-- later. Whoever finds that out may say one thing more, if there is room for some seconds: so
-- sleepers hear of it.
create or replace function sluice.notifications_are_scarce() returns boolean
language plpgsql volatile
as $$
declare
  v_was_scarce boolean := sluice.notify_usage() >= sluice.scarce_usage();
  v_usage int;
begin
  if not sluice.was_looked_at(clock_timestamp()) then
    v_usage := sluice.look_at_notifications();
  end if;
  return sluice.notify_usage() >= sluice.scarce_usage()
    and (v_was_scarce or coalesce(v_usage, 1000) >= 900);
end
$$;

-- scarce_usage: from which usage on, in thousandths, nobody notifies. KeyRing reads the sequence by
-- itself, and knows this figure, too.
create or replace function sluice.scarce_usage() returns int
language sql immutable parallel safe
as $$ select 500 $$;

-- notify_usage: how full the queue of notifications is said to be, in thousandths.
create or replace function sluice.notify_usage() returns bigint
language sql volatile
as $$ select coalesce(pg_sequence_last_value('sluice.notify_usage'::regclass), 0) $$;

-- was_looked_at: whether somebody has begun a look within the last 2 s: workers do each second. (A
-- clock that was set back says no.) p_now is named once, and so this is inlined where it is called:
-- between, or two comparisons, cost each submit that wakes a sleeper a parse and a plan.
create or replace function sluice.was_looked_at(p_now timestamptz) returns boolean
language sql volatile
as $$
  select coalesce(abs(date_part('epoch', p_now) * 1000
    - pg_sequence_last_value('sluice.notify_looked_at'::regclass) - 1000) <= 1000, false)
$$;

-- takes_long: whether the look that is under way began 2 to 10 s ago.
create or replace function sluice.takes_long(p_now timestamptz) returns boolean
language sql volatile
as $$
  select coalesce(date_part('epoch', p_now) * 1000
    - pg_sequence_last_value('sluice.notify_looked_at'::regclass) between 2000 and 10000, false)
$$;

-- look_at_notifications: notes how full the queue is, and moves its end: that can take seconds, in
-- which gigabytes are removed from the disk, and nothing interrupts it. So there is one looker at a
-- time; and while somebody has been at it for more than 2 s, the queue counts as full. Not where
-- the last look was long ago: then the one who looks has just begun, and not said so yet. (Two
-- submits after a minute's rest said full, told nobody, and the worker slept on for a minute.) What
-- was half full stays so: only check_notifications() may say that it is well.
-- Returns: in thousandths; null: somebody else is looking.
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
  elsif sluice.takes_long(clock_timestamp()) then
    perform pg_sleep(0.01);  -- so also here: by now it is said
    perform setval('sluice.notify_usage', 1000) where sluice.takes_long(clock_timestamp());
  end if;
  raise exception 'seen';  -- gives the lock back: the caller's transaction may be long
exception when raise_exception then
  return v_usage;
end
$$;

-- check_notifications: looks, and says so when things are well again: then whoever sleeps is woken,
-- for what came meanwhile told nobody. Workers call it once a second (asleep: with each look), in a
-- transaction of its own, on a session that can wait. Not well while a transaction that left out a
-- notification is open: its tasks could not be seen, and nobody would look again. Whoever sleeps is
-- woken when it begins, too, while that can be said, to look for himself from then on.
-- Returns: whether notifications are scarce.
-- Errors:  54000 the queue has become full: they are scarce.
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
