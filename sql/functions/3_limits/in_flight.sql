-- Calls of a model under way, from two counters: calls begun and calls ended.

-- calls_ended: how many calls of a model have ended: two sequences together, of which the second
-- counts 16 at a time (count_ended_calls). Null after a crash.
create or replace function sluice.calls_ended(p_model int) returns bigint
language sql volatile
as $$ select sluice.counter('ended', p_model)
  + coalesce(sluice.counter('ended_by_16', p_model), 0) $$;

-- count_ended_calls: adds p_calls to a model's calls ended. Only nextval is safe beside other calls
-- that end, and costs 4,000 instructions; so every 16 calls are one step of a sequence whose
-- increment is 16.
create or replace function sluice.count_ended_calls(p_model int, p_calls int) returns void
language plpgsql volatile
as $$
declare
  v_sequence regclass;
  v_drawn bigint;
begin
  if p_calls >= 16 then
    v_sequence := 'sluice.ended_by_16_' || p_model;
    for i in 1 .. p_calls / 16 loop
      v_drawn := nextval(v_sequence);
    end loop;
  end if;
  v_sequence := 'sluice.ended_' || p_model;
  for i in 1 .. p_calls % 16 loop
    v_drawn := nextval(v_sequence);
  end loop;
end
$$;

-- calls_left: how many more calls of a model may begin; null: any number. Requires the model's
-- lock. Recounts when a crash reset the counters, and before it reports a model as full, because a
-- claim that was rolled back stays counted.
create or replace function sluice.calls_left(p_model sluice.models) returns bigint
language plpgsql volatile
as $$
begin
  if sluice.counter('claimed', p_model.id) is null or sluice.calls_ended(p_model.id) is null then
    perform sluice.recount_in_flight(p_model.id);
  elsif sluice.in_flight(p_model.id) >= p_model.max_in_flight then
    perform sluice.recount_full(p_model.id);
  end if;
  return p_model.max_in_flight - sluice.in_flight(p_model.id);
end
$$;

-- recount_full: recounts the calls of a model that seems full, unless this session has lately
-- needed long for it: beside a held snapshot it walks over all leases that have ended since (29 ms
-- with 120,000 of them, and a model at its bound is counted with each claim). Then it rests for 20
-- times as long, a minute at most.
create or replace function sluice.recount_full(p_model int) returns void
language plpgsql volatile
as $$
declare
  c_long constant interval := '2 ms';  -- mostly it takes 0.1
  v_setting text := 'sluice.recount_after_' || p_model;
  v_after text := current_setting(v_setting, true);
  v_begun timestamptz := clock_timestamp();
  v_took interval;
begin
  -- further ahead: the clock was set back
  if v_after ~ '^[0-9]{1,18}$' and sluice.from_micros(v_after::bigint)
    between v_begun and v_begun + interval '1 minute' then
    return;
  end if;
  perform sluice.recount_in_flight(p_model);
  v_took := clock_timestamp() - v_begun;
  perform set_config(v_setting,
    sluice.micros(v_begun + least(20 * v_took, interval '1 minute'))::text, false)
  where v_took > c_long;
end
$$;

-- count_claimed: adds p_calls to a model's calls begun; after a crash it recounts. Requires the
-- model's lock.
create or replace function sluice.count_claimed(p_model int, p_calls int) returns void
language plpgsql volatile
as $$
declare
  v_claimed bigint := nextval(('sluice.claimed_' || p_model)::regclass);
begin
  if v_claimed = 0 then  -- where it begins: a model that is made has it set
    perform sluice.recount_in_flight(p_model);
  elsif p_calls > 1 then
    perform sluice.set_counter('claimed', p_model, v_claimed + p_calls - 1);
  end if;
end
$$;

-- in_flight: calls of model p_model under way in the whole fleet: the difference of two sequences
-- (no hot row, no scan); counted from the leases while the sequences are unset after a crash.
create or replace function sluice.in_flight(p_model int) returns bigint
language plpgsql volatile
as $$
declare
  v_claimed bigint := sluice.counter('claimed', p_model);
  v_ended bigint := sluice.calls_ended(p_model);
begin
  if v_claimed is null or v_ended is null then
    return (select coalesce(sum(calls), 0) from sluice.lease where model = p_model);
  end if;
  return greatest(0, v_claimed - v_ended);
end
$$;

-- count_ended: adds the calls of these leases, extra ones included, to the calls ended. Needs no
-- lock.
create or replace function sluice.count_ended(p_leases sluice.lease[]) returns void
language plpgsql volatile
as $$
begin
  perform sluice.count_ended_calls(c.model, c.calls)
  from (select l.model, sum(l.calls)::int as calls from unnest(p_leases) l group by l.model) c;
  -- A model that was full has headroom for one more, a half-open breaker for its next probe,
  -- however that call ended: whoever sleeps has set no timer for it.
  perform sluice.notify_opened(m.id) from sluice.models m
  where m.id = any (array(select l.model from unnest(p_leases) l)) and (m.max_in_flight is not null
    or exists (select from sluice.breaker b where b.model = m.id and b.state <> 'closed'));
end
$$;

-- recount_in_flight: sets a model's two counters from its leases. Under the model's lock nothing is
-- claimed meanwhile. The counter of ended calls is read last, so a call that ends meanwhile counts
-- as in flight and is not lost. Not above READ COMMITTED: an old snapshot lacks leases.
create or replace function sluice.recount_in_flight(p_model int) returns void
language plpgsql volatile
as $$
declare
  v_calls bigint;
  v_ended bigint;
begin
  if current_setting('transaction_isolation') <> 'read committed'
     or not pg_try_advisory_xact_lock(sluice.lock_class('model'), p_model) then
    return;
  end if;
  v_calls := (select coalesce(sum(calls), 0) from sluice.lease where model = p_model);
  -- Only nextval is safe beside calls that end now.
  v_ended := coalesce(sluice.calls_ended(p_model),
    nextval(('sluice.ended_' || p_model)::regclass)
      + coalesce(sluice.counter('ended_by_16', p_model), 0));
  perform sluice.set_counter('claimed', p_model, v_ended + v_calls);
end
$$;
