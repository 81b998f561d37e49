-- How long a permit lasts between its grant and its call.

-- send_allowance_ms: the longest time between the grant of a permit and its call, in ms: a call
-- that is sent later is not covered by it.
--
-- d in 3_limits/permits.sql.
create or replace function sluice.send_allowance_ms() returns int
language sql immutable parallel safe
as $$ select 250 $$;

-- send_within_min_ms: d less 50 ms for the way to the backend.
create or replace function sluice.send_within_min_ms() returns int
language sql immutable parallel safe
as $$ select 200 $$;

-- send_within_max_ms: a third of heartbeat_timeout as it comes: who is later is nearly taken for
-- dead.
create or replace function sluice.send_within_max_ms() returns int
language sql immutable parallel safe
as $$ select 5000 $$;

-- send_within_ms: how long after it sent its claim a worker may send a call that needs a permit. On
-- a busy machine the least is too little: a worker that needs longer says so by the setting
-- sluice.send_within_ms, and the quota pays for it (3_limits/permits.sql). A permit not used by
-- then is forfeited and never given back (D-380).
create or replace function sluice.send_within_ms() returns int
language sql stable parallel safe
as $$ select least(sluice.send_within_max_ms(), greatest(sluice.send_within_min_ms(),
  nullif(current_setting('sluice.send_within_ms', true), '')::int)) $$;
