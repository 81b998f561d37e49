-- The token bucket: never more than N arrivals in any half-open window of a minute; N requests, or
-- tokens (3_limits/tokens.sql), of a model or of a tenant (3_limits/tenant_quotas.sql).
--
-- It is GCRA, the token bucket as one number: the theoretical arrival time TAT, in nanoseconds, in
-- an unlogged sequence. setval takes no transaction id and writes no WAL (measured: 42k/s against
-- 8.5k/s for a logged sequence), and a rollback does not give permits back, which is safe. After a
-- crash TAT is unknown: the bucket then counts as empty, which is safe, too.
--
-- Let W = 60 s, N = the quota, d = the send-by allowance (the longest time between grant and
-- arrival), and b = burst [1 + N/100]. Then
--   T = ceil((W + d) / (N - b + 1)).
-- Proof: after the first grant, at s, TAT >= s + T; each grant adds T; the last one, at e, leaves
-- TAT <= e + bT, so n <= (e - s)/T + b. Calls that arrive within W of each other were granted
-- within W + d <= (N - b + 1) T, hence n <= N. A window of any length L has at most b + ceil(L/T)
-- grants. The sustained rate is 60 s / T a minute, by default 98.6 % of rpm.
-- A claim may ask for a longer allowance d' (send_within_ms). It pays for that with time: TAT moves
-- on by another d' - d. Proof: of calls that arrive within W of each other let the first be granted
-- at s, the last at e. If e - s <= W + d, the proof above holds. Else the first one's claim has a
-- longer allowance, and e - s <= W + d'. Without the d' - d that its claim has taken, in which
-- nothing is granted, that is W + d again. Tokens are booked d' - d later: so long they count.
-- permits_clock_jump.sql tells what happens when the clock jumps ahead.

-- quota_of: a quota of some units a minute, with its burst and the interval between two units; all
-- null: there is none. Called by the view sluice.queues, as its reader (as pressure is).
-- Params:  p_bucket: its sequence; p_account: for tokens, where they are booked; p_units: so many a
--          minute; p_burst: so many at once (null: the default); p_changed_at: when its limits last
--          changed.
--
-- b, T and N as in the formula above.
create or replace function sluice.quota_of(
  p_bucket text, p_account int, p_units int, p_burst int, p_changed_at timestamptz)
returns sluice.quota
language plpgsql immutable
as $$
declare
  v_burst int := coalesce(p_burst, 1 + p_units / 100);
begin
  if p_units is null then
    return null;
  end if;
  return row(p_bucket, p_account, p_units, v_burst,
    ceil((60000 + sluice.send_allowance_ms())::numeric * 1000000::numeric
      / (p_units - v_burst + 1)::numeric)::bigint,
      p_changed_at)::sluice.quota;
end
$$;

-- request_quota: the quota in requests of a model: its bucket, units a minute, burst and interval.
-- Called by the view sluice.queues, as its reader.
-- request_quota and token_quota are of a model or of a tenant (3_limits/tenant_quotas.sql). Stable,
-- as "||" is, so that they are inlined.
create or replace function sluice.request_quota(p_model sluice.models) returns sluice.quota
language sql stable
as $$ select sluice.quota_of('bucket_' || p_model.id::text, null, p_model.rpm, p_model.burst,
  p_model.limits_changed_at) $$;

create or replace function sluice.token_quota(p_model sluice.models) returns sluice.quota
language sql stable
as $$ select sluice.quota_of('tokens_' || p_model.id, p_model.id, p_model.tpm, null,
  p_model.limits_changed_at) $$;

create or replace function sluice.request_quota(p_tenant sluice.tenants) returns sluice.quota
language sql stable
as $$ select sluice.quota_of('tenant_bucket_' || p_tenant.id, null, p_tenant.rpm, null,
  p_tenant.limits_changed_at) $$;

create or replace function sluice.token_quota(p_tenant sluice.tenants) returns sluice.quota
language sql stable
as $$ select sluice.quota_of('tenant_tokens_' || p_tenant.id, -p_tenant.id, p_tenant.tpm, null,
  p_tenant.limits_changed_at) $$;

-- bucket: a bucket's TAT in nanoseconds, no earlier than p_now. Four corrections make it safe:
--   - never set (crash, promotion): empty;
--   - limits changed: empty at that moment;
--   - the clock jumped ahead: empty when the jump was noted;
--   - the clock was set back: no longer than a full refill. Notes made by a clock that has been set
--     back since do not count: they would freeze the bucket.
-- A token bucket may be in debt by one request at most, hence by one minute's tokens, one of
-- requests by what the longest allowance takes. Only a clock that was later set back can have left
-- it further ahead.
create or replace function sluice.bucket(p_quota sluice.quota, p_now timestamptz) returns bigint
language plpgsql volatile
as $$
declare
  v_now bigint := sluice.micros(p_now) * 1000;
  v_refill bigint := p_quota.burst * p_quota.interval_ns;
  v_debt bigint := case when p_quota.account is null
    then (sluice.send_within_max_ms() - sluice.send_within_min_ms()) * 1000000::bigint
    else p_quota.units * p_quota.interval_ns end;
  v_tat bigint := coalesce(pg_sequence_last_value(('sluice.' || p_quota.bucket)::regclass),
    v_now + v_refill);
  v_jumped bigint := pg_sequence_last_value('sluice.clock_jumped_at'::regclass) * 1000;
begin
  if v_jumped <= v_now then
    v_tat := greatest(v_tat, v_jumped + v_refill);
  end if;
  if p_quota.changed_at <= p_now then
    v_tat := greatest(v_tat, sluice.micros(p_quota.changed_at) * 1000 + v_refill);
  end if;
  return greatest(v_now, case when v_tat > v_now + v_refill + v_debt then v_now + v_refill
    else v_tat end);
end
$$;

-- needs_mending: whether mend_bucket has anything to do.
create or replace function sluice.needs_mending(p_quota sluice.quota, p_now timestamptz)
returns boolean
language plpgsql volatile
as $$
begin
  return p_quota.bucket is not null
    and (coalesce(pg_sequence_last_value(('sluice.' || p_quota.bucket)::regclass)
      > sluice.bucket(p_quota, p_now), true)
      or exists (select from sluice.spent where account = p_quota.account
        and at > p_now + sluice.send_within_max_ms() * interval '1 millisecond'));
end
$$;

-- mend_bucket: stores the first and the last correction of bucket(), because they are relative to
-- p_now: a bucket that was never set, or was set by a later clock, would otherwise be empty again
-- at every look. Tokens booked by a later clock are moved back together, until none lies in the
-- future. Requires the lock of the quota's model or tenant.
create or replace function sluice.mend_bucket(p_quota sluice.quota, p_now timestamptz) returns void
language plpgsql volatile
as $$
begin
  if not sluice.needs_mending(p_quota, p_now) then
    return;
  end if;
  perform setval(('sluice.' || p_quota.bucket)::regclass, sluice.bucket(p_quota, p_now));
  if p_quota.account is not null then
    update sluice.spent s set at = s.at - (n.newest - p_now)
    from (select max(at) as newest from sluice.spent where account = p_quota.account
      and at > p_now) n
    where s.account = p_quota.account and s.at > p_now;
  end if;
end
$$;

-- permits_now: how many units a quota could grant at p_now; null: no limit, or unknown because this
-- is a standby, which cannot read unlogged sequences. Tokens: 0 or less means in debt.
create or replace function sluice.permits_now(p_quota sluice.quota, p_now timestamptz)
returns bigint
language plpgsql volatile
as $$
declare
  v_permits bigint;
begin
  if p_quota.bucket is not null and not pg_is_in_recovery() then
    v_permits := greatest(case when p_quota.account is null then 0 end, p_quota.burst
      - ceil((sluice.bucket(p_quota, p_now) - sluice.micros(p_now) * 1000)::numeric
        / p_quota.interval_ns));
    if p_quota.account is not null and v_permits > 0 then
      v_permits := least(v_permits, p_quota.units - sluice.tokens_spent(p_quota.account, p_now));
    end if;
  end if;
  return v_permits;
end
$$;

-- permit_at: when the next unit of a quota can be granted: p_now or later; null: no limit, or
-- unknown on a standby.
-- Params:  p_taken: after so many more were taken at p_now.
create or replace function sluice.permit_at(
  p_quota sluice.quota, p_now timestamptz, p_taken bigint default 0)
returns timestamptz
language plpgsql volatile
as $$
declare
  v_at timestamptz;
begin
  if p_quota.bucket is not null and not pg_is_in_recovery() then
    v_at := greatest(p_now, sluice.from_micros(
      (sluice.bucket(p_quota, p_now)
        + (p_taken + 1 - p_quota.burst) * p_quota.interval_ns + 999) / 1000));
    if p_quota.account is not null then
      v_at := greatest(v_at, sluice.tokens_free_at(p_quota.account,
        p_quota.units - p_taken, p_now));
    end if;
  end if;
  return v_at;
end
$$;

-- move_bucket: takes p_units from a bucket, or puts back what a call did not use (less than 0). At
-- most a burst and a minute's units: a claim takes no more, for one request may exceed the burst.
create or replace function sluice.move_bucket(
  p_quota sluice.quota, p_units bigint, p_now timestamptz)
returns void
language plpgsql volatile
as $$
begin
  perform setval(('sluice.' || p_quota.bucket)::regclass,
                 greatest(0, sluice.bucket(p_quota, p_now) + p_quota.interval_ns * greatest(
                   -p_quota.units, least(p_units, p_quota.burst::bigint + p_quota.units))));
end
$$;

-- take_permits: takes p_units from a quota: from its bucket and, for tokens, from its account. All
-- permits of the fleet are taken here. The caller has called permits_now under the same lock, that
-- of the quota's model or tenant, and has read p_now after getting the lock.
create or replace function sluice.take_permits(
  p_quota sluice.quota, p_units bigint, p_now timestamptz)
returns void
language plpgsql volatile
as $$
declare
  v_late_ms bigint;
begin
  if p_quota.bucket is null or p_units = 0 then
    return;
  end if;
  perform sluice.move_bucket(p_quota, p_units, p_now);
  v_late_ms := sluice.send_within_ms() - sluice.send_within_min_ms();
  if p_quota.account is not null then
    insert into sluice.spent (account, at, tokens)
    values (p_quota.account, p_now + v_late_ms * interval '1 millisecond', p_units);
    if random() < 0.004 then
      perform sluice.merge_spent(p_quota.account, p_now);
    end if;
  elsif v_late_ms > 0 then
    perform setval(('sluice.' || p_quota.bucket)::regclass,
      sluice.bucket(p_quota, p_now) + v_late_ms * 1000000);
  end if;
end
$$;

-- permits_now: how many calls of model p_model could begin at p_now; null: as above. While its
-- tokens are not in debt they limit no number: the head of the queue is granted whatever its size.
create or replace function sluice.permits_now(p_model sluice.models, p_now timestamptz) returns int
language plpgsql volatile
as $$
begin
  return least(sluice.permits_now(sluice.request_quota(p_model), p_now),
    case when p_model.tpm is not null
      and sluice.permits_now(sluice.token_quota(p_model), p_now) <= 0 then 0 end);
end
$$;

-- permit_at: when the next call of model p_model can begin, by its quotas; null: as above.
create or replace function sluice.permit_at(p_model sluice.models, p_now timestamptz)
returns timestamptz
language plpgsql volatile
as $$
begin
  return greatest(sluice.permit_at(sluice.request_quota(p_model), p_now),
    case when p_model.tpm is not null
      then sluice.permit_at(sluice.token_quota(p_model), p_now) end);
end
$$;

-- next_permit_at: when the next call of a model may be granted by its quota of requests.
-- Params:  model: its name.
-- Returns: a time; now or earlier means at once; null: no limit, or unknown on a standby.
create or replace function sluice.next_permit_at(model text, p_now timestamptz default null)
returns timestamptz
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
#variable_conflict use_column
begin
  perform sluice.require_model(next_permit_at.model);
  return (select sluice.permit_at(m, coalesce(p_now, clock_timestamp())) from sluice.models m
    where m.name = next_permit_at.model);
end
$$;

-- drain_bucket: lowers a model's buckets to what its backend says is left
-- ("x-ratelimit-remaining-..."). It never raises them: the backend's figure shows calls that Sluice
-- did not make, not a greater quota.
-- Params:  model: its name; requests_left: null or negative (some backends say -1): not known;
--          tokens_left: likewise.
-- Errors:  SL001 no such model.
create or replace function sluice.drain_bucket(
  model text, requests_left int, tokens_left bigint, p_now timestamptz default null) returns void
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
#variable_conflict use_column
declare
  v_model sluice.models;
  v_quota sluice.quota;
  v_now timestamptz;
  v_above bigint;
begin
  perform sluice.require_model(drain_bucket.model);
  select * into v_model from sluice.models m where m.name = drain_bucket.model;
  perform pg_advisory_xact_lock(sluice.lock_class('model'), v_model.id);
  v_now := coalesce(p_now, clock_timestamp());
  v_quota := sluice.request_quota(v_model);
  v_above := sluice.permits_now(v_quota, v_now) - drain_bucket.requests_left;
  if drain_bucket.requests_left >= 0 and v_above > 0 then
    perform sluice.move_bucket(v_quota, v_above, v_now);
  end if;
  v_above := v_model.tpm - sluice.tokens_spent(v_model.id, v_now) - drain_bucket.tokens_left;
  if drain_bucket.tokens_left >= 0 and v_above > 0 then
    insert into sluice.spent (account, at, tokens) values (v_model.id, v_now, v_above);
  end if;
end
$$;
