-- What the quotas of one model hold, for people who wonder why it waits.

-- calls_of_minute: how many calls of model p_model began in the minute before p_now, as far as the
-- newest 10,000 of its leases and of all results and attempts tell.
create or replace function sluice.calls_of_minute(p_model sluice.models, p_now timestamptz)
returns bigint
language plpgsql volatile
as $$
declare
  c_looked_at_max constant int := 10000;
  v_since timestamptz := p_now - interval '1 minute';
begin
  return (select count(*) from (select l.started_at from sluice.lease l
      where l.model = p_model.id limit c_looked_at_max) l where l.started_at > v_since)
    + (select count(*) from (select r.model, r.started_at from sluice.result r
      order by r.task_id desc limit c_looked_at_max) r
      where r.model = p_model.name and r.started_at > v_since)
    + (select count(*) from (select a.model, a.kind, a.started_at from sluice.attempt a
      order by a.id desc limit c_looked_at_max) a
      where a.model = p_model.name and a.started_at > v_since
        and a.kind in ('retry', 'lost', 'hedged', 'returned', 'rerouted'));
end
$$;

-- model_limits: what the buckets of a model hold now.
-- Params:  model: its name.
-- Returns: one row. burst: requests at once; permits_now, next_permit_at: of its requests;
--          tokens_reserved: by calls under way; tokens_used_last_minute: by those that ended, of
--          the same minute; tokens_free: less than 0: in debt; null: no such quota, or
--          this is a standby.
-- Errors:  SL001 no such model.
create or replace function sluice.model_limits(model text, p_now timestamptz default null)
returns table (rpm int, burst int, permits_now bigint, next_permit_at timestamptz,
  calls_last_minute bigint, tpm int, tokens_reserved bigint, tokens_used_last_minute bigint,
  tokens_free bigint, next_tokens_at timestamptz)
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_now timestamptz := sluice.now_for(p_now);
  v_model sluice.models;
  v_requests sluice.quota;
  v_tokens sluice.quota;
  v_reserved bigint;
begin
  perform sluice.require_model(model_limits.model);
  select * into v_model from sluice.models m where m.name = model_limits.model;
  v_requests := sluice.request_quota(v_model);
  v_tokens := sluice.token_quota(v_model);
  if v_model.tpm is not null then
    v_reserved := (select coalesce(sum(l.reserved_tokens), 0) from sluice.lease l
      where l.model = v_model.id and l.started_at > v_now - sluice.token_window());
  end if;
  return query select v_model.rpm, v_requests.burst, sluice.permits_now(v_requests, v_now),
    sluice.permit_at(v_requests, v_now), sluice.calls_of_minute(v_model, v_now), v_model.tpm,
    v_reserved, case when v_model.tpm is not null
      then greatest(0, sluice.tokens_spent(v_model.id, v_now) - v_reserved) end,
    sluice.permits_now(v_tokens, v_now), sluice.permit_at(v_tokens, v_now);
end
$$;
