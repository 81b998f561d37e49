-- The token bucket: never more than rpm arrivals in any half-open window of a minute.
--
-- GCRA, the token bucket written as one number: the theoretical arrival time TAT, in nanoseconds, in an unlogged sequence.
-- setval takes no transaction id and writes no WAL (measured: 42k/s against 8.5k/s for a logged one), and a rollback does
-- not give back what was taken: the safe side. After a crash TAT is unknown: the bucket is then empty, exactly safe.
--
-- W = 60 s, N = rpm, d = the send-by allowance (what may lie between grant and arrival), b = burst [1 + N/100]:
--   T = ceil((W + d) / (N - b + 1)).
-- Proof: after the first grant at s, TAT >= s + T; each grant adds T; the last, at e, leaves TAT <= e + bT, so n <= (e - s)/T + b,
-- and arrivals within W of each other were granted within W + d <= (N - b + 1) T, hence n <= N. In a window of any
-- length L: at most b + ceil(L/T) grants. Sustained rate: 60 s / T a minute, 98.6 % of rpm by default.

-- send_allowance_ms: d.
create or replace function sluice.send_allowance_ms() returns int
language sql immutable parallel safe
as $$ select 250 $$;

-- send_within_ms: how long after it sent its claim a worker may still send a call that needs a permit: d less 50 ms for
-- the way to the backend. A permit not used by then is forfeited, never given back (giving back would mint one).
create or replace function sluice.send_within_ms() returns int
language sql immutable parallel safe
as $$ select 200 $$;

-- permit_burst: b.
create or replace function sluice.permit_burst(p_model sluice.models) returns int
language sql immutable
as $$ select coalesce(p_model.burst, 1 + p_model.rpm / 100) $$;

-- permit_interval_ns: T, by the formula above.
create or replace function sluice.permit_interval_ns(p_model sluice.models) returns bigint
language sql immutable
as $$
  select ceil((60000 + sluice.send_allowance_ms()) * 1000000::numeric
              / (p_model.rpm - sluice.permit_burst(p_model) + 1))::bigint
$$;

-- bucket: the bucket's TAT in nanoseconds, no earlier than p_now. Three corrections make it safe:
--   never set (crash, promotion): empty; limits changed: empty at that moment; clock set back: no longer than a full
--   refill. A change noted by a clock that has been set back since does not count: it would freeze the bucket.
create or replace function sluice.bucket(p_model sluice.models, p_now timestamptz) returns bigint
language plpgsql volatile
as $$
declare
  v_now bigint := sluice.micros(p_now) * 1000;
  v_refill bigint := sluice.permit_burst(p_model) * sluice.permit_interval_ns(p_model);
  v_tat bigint := coalesce(sluice.counter('bucket', p_model.id), v_now + v_refill);
begin
  if p_model.limits_changed_at <= p_now then
    v_tat := greatest(v_tat, sluice.micros(p_model.limits_changed_at) * 1000 + v_refill);
  end if;
  return greatest(v_now, least(v_tat, v_now + v_refill));
end
$$;

-- mend_bucket: stores bucket()'s first and third correction, for they are relative to p_now: a bucket that was never set,
-- or was set by a later clock, would otherwise be empty again at every look. Requires the model's lock.
create or replace function sluice.mend_bucket(p_model sluice.models, p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_stored bigint := sluice.counter('bucket', p_model.id);
  v_tat bigint;
begin
  if p_model.rpm is not null then
    v_tat := sluice.bucket(p_model, p_now);
    if v_stored is null or v_stored > v_tat then
      perform sluice.set_counter('bucket', p_model.id, v_tat);
    end if;
  end if;
end
$$;

-- permits_now: how many permits model p_model could grant at p_now; null: no limit.
create or replace function sluice.permits_now(p_model sluice.models, p_now timestamptz) returns int
language sql volatile
as $$
  select case when p_model.rpm is not null then
    sluice.permit_burst(p_model)
      - ceil((sluice.bucket(p_model, p_now) - sluice.micros(p_now) * 1000)::numeric / sluice.permit_interval_ns(p_model))::int
  end
$$;

-- take_permits: takes permits from a model's bucket. All permits of the fleet are taken here and nowhere else.
-- Requires the model's lock, and p_now read after it was obtained.
-- Params:  p_model; p_wanted: 0 or more (null: 0); p_now.
-- Returns: granted: at most p_wanted; next_at: when the next one can be granted (null: no limit).
create or replace function sluice.take_permits(
  p_model sluice.models, p_wanted int, p_now timestamptz, out granted int, out next_at timestamptz)
language plpgsql volatile
as $$
declare
  v_interval bigint;
  v_tat bigint;
begin
  granted := coalesce(p_wanted, 0);
  if p_model.rpm is null then
    return;
  end if;
  v_interval := sluice.permit_interval_ns(p_model);
  v_tat := sluice.bucket(p_model, p_now);
  granted := greatest(0, least(granted, sluice.permits_now(p_model, p_now)));
  if granted > 0 then
    v_tat := v_tat + granted * v_interval;
    perform sluice.set_counter('bucket', p_model.id, v_tat);
  end if;
  next_at := greatest(p_now, sluice.from_micros(
    (v_tat + (1 - sluice.permit_burst(p_model)) * v_interval + 999) / 1000));
end
$$;

-- next_permit_at: when the next call of a model may be granted: p_now or earlier means at once; null: no limit.
create or replace function sluice.next_permit_at(model text, p_now timestamptz default null) returns timestamptz
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
#variable_conflict use_column
declare
  v_model sluice.models;
begin
  select * into v_model from sluice.models m where m.name = next_permit_at.model;
  if not found then
    raise exception 'there is no model "%"', next_permit_at.model using errcode = 'SL001',
      hint = 'sluice.models lists what there is.';
  end if;
  return (sluice.take_permits(v_model, 0, coalesce(p_now, clock_timestamp()))).next_at;
end
$$;
