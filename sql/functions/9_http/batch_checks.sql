-- Checks of a request for a batch.

-- lifetime_of: {"anchor": "created_at", "seconds": n} as a time, or the default. Errors: SL004.
create or replace function sluice.lifetime_of(p_expiry jsonb, p_default interval) returns interval
language plpgsql immutable
as $$
begin
  if coalesce(jsonb_typeof(p_expiry), 'null') = 'null' then
    return p_default;
  elsif p_expiry ->> 'anchor' is distinct from 'created_at'
    or jsonb_typeof(p_expiry -> 'seconds') is distinct from 'number'
    or (p_expiry ->> 'seconds')::numeric not between 3600 and 2592000 then
    raise exception 'a time to expire is {"anchor": "created_at", "seconds": 3600 to 2592000}'
      using errcode = 'SL004';
  end if;
  return (p_expiry ->> 'seconds')::numeric * interval '1 s';
end
$$;

-- window_of: a completion window as an interval, from a second to the retention.
-- Errors:  SL004.
create or replace function sluice.window_of(p_window text) returns interval
language plpgsql stable
as $$
declare
  v_window interval;
  v_max interval := least((select s.retention from sluice.settings s), interval '30 days');
begin
  if p_window is null then
    raise exception 'completion_window is missing' using errcode = 'SL004',
      hint = 'Such as "24h", with its unit.';
  end if;
  begin
    v_window := case when p_window ~ '[a-z]' then p_window end;  -- "24" would be seconds
  exception when data_exception then
    null;  -- no time at all
  end;
  if v_window is null or v_window not between interval '1 s' and v_max then
    raise exception 'completion_window "%" is no time between 1 s and %', left(p_window, 200), v_max
      using errcode = 'SL004',
        hint = 'Such as "24h", with its unit. The upper bound is sluice.settings.retention.';
  end if;
  return v_window;
end
$$;

-- check_batch_metadata: OpenAI's bounds. Errors: SL004.
create or replace function sluice.check_batch_metadata(p_metadata jsonb) returns void
language plpgsql immutable
as $$
begin
  if coalesce(jsonb_typeof(p_metadata), 'null') <> 'null' and (jsonb_typeof(p_metadata) <> 'object'
      or (select count(*) > 16 or bool_or(length(m.key) > 64 or jsonb_typeof(m.value) <> 'string'
        or length(m.value #>> '{}') > 512)
          from jsonb_each(case jsonb_typeof(p_metadata) when 'object' then p_metadata
            else '{}' end) m)) then
    raise exception 'metadata is not a set of strings within its bounds' using errcode = 'SL004',
      hint = 'At most 16 pairs; keys of at most 64, values of at most 512 characters.';
  end if;
end
$$;
