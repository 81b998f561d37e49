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
    -- "24" would be seconds; lists show it as it came
    v_window := case when p_window ~ '[a-z]' and length(p_window) <= 100 then p_window end;
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

-- batch_input: the file that the body of a request for OpenAI's batch names.
-- Errors:  SL004 an endpoint without batches, or no input; SL006 no such file.
create or replace function sluice.batch_input(p_body jsonb, p_tenant text) returns sluice.file
language plpgsql stable
as $$
declare
  v_file sluice.file := sluice.visible_file(
    substring(p_body ->> 'input_file_id' from '^file-([0-9]{1,18})$')::bigint, p_tenant);
begin
  if sluice.endpoint_api(p_body ->> 'endpoint') is null
    or p_body ->> 'endpoint' = '/v1/messages' then
    raise exception 'endpoint "%" takes no batches',
      coalesce(left(p_body ->> 'endpoint', 200), '<NULL>') using errcode = 'SL004',
      hint = 'It is /v1/chat/completions, /v1/responses or /v1/embeddings.';
  elsif v_file.id is null then
    raise exception 'there is no file "%"',
      coalesce(left(p_body ->> 'input_file_id', 200), '<NULL>') using errcode = 'SL006',
      hint = 'Upload it first: POST /v1/files with purpose "batch".';
  elsif v_file.purpose <> 'batch' then
    raise exception 'file-% is what a batch put out, not an input', v_file.id
      using errcode = 'SL004';
  end if;
  return v_file;
end
$$;

-- message_line: a request of Anthropic's batch as a line of OpenAI's input.
create or replace function sluice.message_line(p_request json) returns text
language sql immutable
as $$
  select json_build_object('custom_id', p_request -> 'custom_id', 'method', 'POST', 'url',
    '/v1/messages', 'body', translate((p_request -> 'params')::text, E'\r\n', '  ')::json)::text
$$;

-- sent_requests: the requests of a body that asks for Anthropic's batch.
-- Errors:  SL004 none, more than batch_lines_max(), or one above c_bytes_max.
create or replace function sluice.sent_requests(p_body text) returns json[]
language plpgsql immutable
as $$
declare
  -- As of a line of a file that is uploaded: the step in which budgets read it takes 0.4 s; with
  -- one of 64 MB it took 2.4 to 5.
  c_bytes_max constant int := 16777216;
  v_requests json := p_body::json -> 'requests';
  v_sent json[];
  v_large int;
begin
  if json_typeof(v_requests) is distinct from 'array'
     or json_array_length(v_requests) not between 1 and sluice.batch_lines_max() then
    raise exception 'requests is not an array of 1 to % requests', sluice.batch_lines_max()
      using errcode = 'SL004', hint = 'Send {"requests": [{"custom_id": "a", "params": {...}}]}.';
  end if;
  v_sent := array(select r.request
    from json_array_elements(v_requests) with ordinality r(request, n) order by r.n);
  select min(r.n) into v_large from unnest(v_sent) with ordinality r(request, n)
  where octet_length(r.request::text) > c_bytes_max;
  if v_large is not null then
    raise exception 'request % has more than % bytes', v_large, c_bytes_max
      using errcode = 'SL004', hint = 'Send it to /v1/messages, without a batch.';
  end if;
  return v_sent;
end
$$;

-- piece_begins: the first request of each piece of a message batch, one step's: a piece ends with
-- the request that fills 1 MB, as a part of a file that was uploaded. A request counts as 1 kB at
-- least, so that a piece has 1,000 at most. By their number alone a piece was up to 64 MB, and a
-- step of it 4 s while others' batches waited.
create or replace function sluice.piece_begins(p_requests json[]) returns int[]
language plpgsql immutable
as $$
begin
  return array(
    select min(r.n)::int from (
      select t.n, sum(greatest(octet_length(t.request::text), 1000)) over (order by t.n
        rows between unbounded preceding and 1 preceding) as bytes
      from unnest(p_requests) with ordinality t(request, n)) r
    group by coalesce(r.bytes, 0)::bigint / 1000000 order by 1);
end
$$;
