-- Batches of the HTTP front: OpenAI's over an uploaded file, and Anthropic's message batches, which
-- arrive in one body. Both are rows of sluice.batch; 9_http/batch_work.sql makes their steps. In
-- all of these functions tenant is the one whose batches the caller may see (null: all).

-- create_batch: begins OpenAI's batch over a file.
-- Params:  body: the request's, a JSON object; tenant: the batch's.
-- Returns: the batch as OpenAI's API shows it.
-- Errors:  SL003 files_bytes_max are stored; SL004 what is wrong with the body; SL005 the tenant's
--          limit of batches or files; SL006 no such file.
create or replace function sluice.create_batch(
  body text, tenant text, p_now timestamptz default null)
returns json
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
  v_body jsonb := create_batch.body;
  v_file sluice.file := sluice.batch_input(v_body, create_batch.tenant);
  v_batch sluice.batch;
begin
  perform sluice.check_batch_metadata(v_body -> 'metadata'),
    sluice.accept_batch(create_batch.tenant);
  insert into sluice.batch (input_file, created_at, expires_at, look_at, output_lifetime, endpoint,
    completion_window, tenant, metadata, api_key)
  values (v_file.id, v_now, v_now + sluice.window_of(v_body ->> 'completion_window'), v_now,
    sluice.lifetime_of(v_body -> 'output_expires_after', interval '30 days'), v_body ->> 'endpoint',
    v_body ->> 'completion_window', create_batch.tenant, nullif(v_body -> 'metadata', 'null'),
    sluice.caller_key())
  returning * into v_batch;
  return sluice.batch_object(v_batch);
end
$$;

-- create_message_batch: begins Anthropic's batch. Its requests become a file like OpenAI's, and are
-- validated at once, because this API has no other place to report errors.
-- Params:  body: {"requests": [{"custom_id", "params"}]}; tenant: the batch's.
-- Returns: the batch as Anthropic's API shows it.
-- Errors:  SL004 what is wrong, with the request's number; SL003 and SL005 as above.
create or replace function sluice.create_message_batch(
  body text, tenant text, p_now timestamptz default null)
returns json
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
  v_requests json[] := sluice.sent_requests(create_message_batch.body);
  v_begins int[] := sluice.piece_begins(v_requests);
  v_file bigint;
  v_batch sluice.batch;
begin
  perform sluice.accept_batch(create_message_batch.tenant);
  v_file := sluice.begin_file('batch', 'message_batch.jsonl', create_message_batch.tenant, v_now);
  insert into sluice.file_part (file, n, lines, body)
  select v_file, width_bucket(r.n::int, v_begins) - 1, count(*),
    string_agg(sluice.message_line(r.request) || E'\n', '' order by r.n)
  from unnest(v_requests) with ordinality r(request, n) group by 2;
  perform sluice.end_file(v_file, interval '1 day');
  insert into sluice.batch (input_file, created_at, expires_at, look_at, output_lifetime, endpoint,
    completion_window, tenant, api_key)
  values (v_file, v_now, v_now + least(interval '24 hours',
    (select s.retention from sluice.settings s)), v_now, interval '29 days', '/v1/messages', '24h',
    create_message_batch.tenant, sluice.caller_key())
  returning * into v_batch;
  loop
    v_batch := sluice.validate_batch(v_batch, v_now);
    exit when v_batch.phase <> 'validate';
  end loop;
  if v_batch.ending = 'failed' then
    raise exception 'request %: %', coalesce(v_batch.errors #>> '{0,line}', '1'),
      v_batch.errors #>> '{0,message}'
      using errcode = 'SL004', hint = 'None of them was taken.';
  end if;
  return sluice.message_batch_object(v_batch);
end
$$;

-- create_batch_once: create_batch, or create_message_batch, unless a batch was created with this
-- key.
-- Params:  key: an Idempotency-Key; body, tenant: as there; messages: Anthropic's API.
-- Returns: the batch as its API shows it now, the new one or the first. Waits for an open first
--          create with the same key, as long as lock_timeout allows.
-- Errors:  as there; SL004 a key that is too long; SL008 the key was used with another body.
create or replace function sluice.create_batch_once(
  key text, body text, tenant text, messages boolean, p_now timestamptz default null)
returns json
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  v_key bytea := sha256(convert_to(create_batch_once.messages || create_batch_once.key, 'UTF8'));
  v_content bytea := sha256(convert_to(create_batch_once.body, 'UTF8'));
  v_bound sluice.batch_key;
  v_batch json;
begin
  if length(create_batch_once.key) not between 1 and 1000 then
    raise exception 'Idempotency-Key must have 1 to 1000 characters' using errcode = 'SL004',
      hint = 'A hash or a UUID is plenty.';
  end if;
  insert into sluice.batch_key (tenant, key_sha256, content_sha256)
  values (coalesce(create_batch_once.tenant, ''), v_key, v_content) on conflict do nothing;
  if not found then
    select * into v_bound from sluice.batch_key k
    where k.tenant = coalesce(create_batch_once.tenant, '') and k.key_sha256 = v_key;
    if v_bound.content_sha256 <> v_content then
      raise exception 'idempotency key already used by batch % with another body', v_bound.batch
        using errcode = 'SL008', hint = 'Use a new key for a new batch.';
    end if;
    return (select sluice.shown_batch(b) from sluice.batch b where b.id = v_bound.batch);
  end if;
  v_batch := case when create_batch_once.messages
    then sluice.create_message_batch(create_batch_once.body, create_batch_once.tenant, p_now)
    else sluice.create_batch(create_batch_once.body, create_batch_once.tenant, p_now) end;
  update sluice.batch_key k set batch = split_part(v_batch ->> 'id', '_', 2)::bigint
  where k.tenant = coalesce(create_batch_once.tenant, '') and k.key_sha256 = v_key;
  return v_batch;
end
$$;

-- show_batch: the batch as its API shows it; null: there is none.
-- Params:  id; messages: Anthropic's API.
create or replace function sluice.show_batch(id bigint, tenant text, messages boolean) returns json
language plpgsql stable security definer
set search_path = sluice, pg_temp
as $$
begin
  return (select sluice.shown_batch(b) from sluice.visible_batch(show_batch.id, show_batch.tenant,
    show_batch.messages) b where b.id is not null);
end
$$;

-- list_batches: a page of batches, newest first.
-- Params:  after, before: older, newer than this one (null: no bound); max_batches; messages: those
--          of Anthropic's API.
-- Returns: the list of either API.
create or replace function sluice.list_batches(
  tenant text, messages boolean, after bigint, before bigint, max_batches int) returns json
language plpgsql stable security definer
set search_path = sluice, pg_temp
set plan_cache_mode = force_custom_plan
as $$
declare
  v_ids bigint[] := array(
    select b.id from sluice.batch b
    where (b.endpoint = '/v1/messages') = list_batches.messages
      and b.id < coalesce(list_batches.after, 9223372036854775807)
      and b.id > coalesce(list_batches.before, 0)
      and (list_batches.tenant is null or coalesce(b.tenant, 'default') = list_batches.tenant
        and b.tenant = list_batches.tenant)
    -- the page next to a bound from below is read upwards
    order by case when list_batches.before is null then b.id end desc, b.id limit max_batches + 1);
begin
  return (
    select sluice.list_object(coalesce(json_agg(sluice.shown_batch(b) order by b.id desc), '[]'),
      cardinality(v_ids) > max_batches)
    from sluice.batch b where b.id = any (v_ids[:max_batches]));
end
$$;

-- cancel_batch: cancels a batch: no line is begun any more, running calls are aborted, and when
-- they have ended the batch ends as cancelled. One whose results are being written has nothing left
-- to cancel, and ends as it would have.
-- Returns: the batch; null: there is none.
-- Errors:  SL004 it has ended.
create or replace function sluice.cancel_batch(
  id bigint, tenant text, messages boolean, p_now timestamptz default null)
returns json
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set lock_timeout = '200ms'  -- a step locks the row while it commits, no longer
as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
  v_batch sluice.batch := sluice.visible_batch(cancel_batch.id, cancel_batch.tenant,
    cancel_batch.messages);
begin
  if v_batch.id is null then
    return null;
  end if;
  update sluice.batch b set ending = 'cancelled', cancelling_at = v_now, look_at = v_now
  where b.id = v_batch.id and b.phase not in ('write', 'done') and b.ending is null
  returning b.* into v_batch;
  if v_batch.id is null then
    v_batch := sluice.visible_batch(cancel_batch.id, cancel_batch.tenant, cancel_batch.messages);
    if v_batch.phase = 'done' then
      raise exception 'the batch is % already', sluice.batch_status(v_batch)
        using errcode = 'SL004';
    end if;
  end if;
  return sluice.shown_batch(v_batch);
end
$$;

-- delete_batch: deletes a batch that has ended, its output files, and the input if it came with it.
-- Returns: whether it was there.
-- Errors:  SL004 it has not ended.
create or replace function sluice.delete_batch(id bigint, tenant text, messages boolean)
returns boolean
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  v_batch sluice.batch := sluice.visible_batch(delete_batch.id, delete_batch.tenant,
    delete_batch.messages);
begin
  if v_batch.phase <> 'done' then
    raise exception 'the batch has not ended' using errcode = 'SL004',
      hint = 'Cancel it, and wait until it has.';
  end if;
  delete from sluice.file f
  where f.id in (case when delete_batch.messages then v_batch.input_file end, v_batch.output_file,
    v_batch.error_file);
  delete from sluice.batch b where b.id = v_batch.id;
  return found;
end
$$;

-- batch_results: part n of a message batch's results; null after the last one.
-- Errors:  SL006 there is no such batch, or no longer.
create or replace function sluice.batch_results(id bigint, tenant text, n int) returns text
language plpgsql stable security definer
set search_path = sluice, pg_temp
as $$
declare
  v_batch sluice.batch := sluice.visible_batch(batch_results.id, batch_results.tenant, true);
begin
  return sluice.file_body(v_batch.output_file, null, batch_results.n);
end
$$;
