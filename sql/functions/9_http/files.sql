-- Files of the HTTP front: uploads for batches, and batches' output. They are written part by part,
-- each part consisting of whole lines, and are visible once they are complete. In all of these
-- functions tenant is the one whose files the caller may see (null: all).

-- unix_time: whole seconds since 1970.
create or replace function sluice.unix_time(p_at timestamptz) returns bigint
language sql immutable
as $$ select floor(extract(epoch from p_at))::bigint $$;

-- file_object: a file as OpenAI's API shows it.
create or replace function sluice.file_object(p_file sluice.file) returns json
language sql immutable
as $$
  select json_build_object('id', 'file-' || p_file.id, 'object', 'file', 'bytes', p_file.bytes,
    'created_at', sluice.unix_time(p_file.created_at), 'expires_at',
      sluice.unix_time(p_file.expires_at),
    'filename', p_file.filename, 'purpose', p_file.purpose, 'status', 'processed',
      'status_details', null)
$$;

-- begin_file: begins a file that nobody sees yet; it is deleted after a day unless it is ended.
-- Params:  purpose: batch or batch_output; filename: for people; tenant: the file's (null: none).
-- Returns: its number.
-- Errors:  for an upload SL003 files_bytes_max are stored, SL005 the tenant's limit (a batch's
--          output was accepted with the batch); 23514 an invalid filename.
create or replace function sluice.begin_file(
  purpose text, filename text, tenant text, p_now timestamptz default null)
returns bigint
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
  v_id bigint;
begin
  if begin_file.purpose = 'batch' then
    perform sluice.accept_files(begin_file.tenant, 1);
  end if;
  insert into sluice.file (purpose, filename, tenant, created_at, expires_at)
  values (begin_file.purpose, begin_file.filename, begin_file.tenant, v_now,
    v_now + interval '1 day')
  returning id into v_id;
  return v_id;
end
$$;

-- append_file: appends a part to a file that has not ended.
-- Params:  file; n: the part's number, from 0, so that a repeat does no harm; lines: how many whole
--          lines body has.
-- Errors:  23503 the file no longer exists.
create or replace function sluice.append_file(file bigint, n int, lines int, body text) returns void
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
begin
  insert into sluice.file_part (file, n, lines, body)
  values (append_file.file, append_file.n, append_file.lines, append_file.body)
  on conflict do nothing;
end
$$;

-- end_file: ends a file: it is complete.
-- Params:  file; lifetime: from its creation.
-- Returns: it as OpenAI's API shows it; null if it no longer exists.
create or replace function sluice.end_file(file bigint, lifetime interval) returns json
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  v_file sluice.file;
begin
  update sluice.file f
  set expires_at = f.created_at + end_file.lifetime, bytes = p.bytes, lines = p.lines
  from (select coalesce(sum(octet_length(b.body)), 0) as bytes, coalesce(sum(b.lines), 0) as lines
        from sluice.file_part b where b.file = end_file.file) p
  where f.id = end_file.file and f.expires_at > '-infinity' returning f.* into v_file;
  return case when v_file.id is not null then sluice.file_object(v_file) end;
end
$$;

-- visible_file: the file if it is complete and not another tenant's, else null.
create or replace function sluice.visible_file(p_file bigint, p_tenant text) returns sluice.file
language sql stable
as $$
  select f from sluice.file f where f.id = p_file and f.bytes is not null
    and (p_tenant is null or f.tenant = p_tenant)
$$;

-- show_file: a file as OpenAI's API shows it; null: there is none.
create or replace function sluice.show_file(id bigint, tenant text) returns json
language plpgsql stable security definer
set search_path = sluice, pg_temp
as $$
begin
  return (select sluice.file_object(f) from sluice.visible_file(show_file.id, show_file.tenant) f
    where f.id is not null);
end
$$;

-- list_files: a page of files, newest first unless ascending.
-- Params:  after: the last id of the page before (null: the first page); max_files; purpose: null:
--          any.
-- Returns: OpenAI's list.
create or replace function sluice.list_files(
  tenant text, purpose text, after bigint, max_files int, ascending boolean) returns json
language plpgsql stable security definer
set search_path = sluice, pg_temp
set plan_cache_mode = force_custom_plan
as $$
declare
  v_ids bigint[] := array(
    select f.id from sluice.file f
    where f.bytes is not null and (list_files.purpose is null or f.purpose = list_files.purpose)
      and (list_files.after is null
        or case when ascending then f.id > list_files.after else f.id < list_files.after end)
      and (list_files.tenant is null or coalesce(f.tenant, 'default') = list_files.tenant
        and f.tenant = list_files.tenant)
    order by case when not ascending then f.id end desc, f.id limit max_files + 1);
begin
  return (
    select sluice.list_object(coalesce(json_agg(sluice.file_object(f)
        order by case when ascending then f.id else -f.id end), '[]'),
      cardinality(v_ids) > max_files)
    from sluice.file f where f.id = any (v_ids[:max_files]));
end
$$;

-- list_object: a page in the form that both APIs share.
create or replace function sluice.list_object(p_data json, p_has_more boolean) returns json
language sql immutable
as $$
  select json_build_object('object', 'list', 'data', p_data, 'first_id', p_data #>> '{0,id}',
    'last_id', p_data #>> '{-1,id}', 'has_more', p_has_more)
$$;

-- file_body: part n of a file; null after the last one.
-- Errors:  SL006 there is no such file, or no longer: a reader in the middle of it must know.
create or replace function sluice.file_body(id bigint, tenant text, n int) returns text
language plpgsql stable security definer
set search_path = sluice, pg_temp
as $$
declare
  v_file sluice.file := sluice.visible_file(file_body.id, file_body.tenant);
begin
  if v_file.id is null then
    raise exception 'there is no file-%', file_body.id using errcode = 'SL006';
  end if;
  return (select p.body from sluice.file_part p where p.file = v_file.id and p.n = file_body.n);
end
$$;

-- delete_file: deletes a file.
-- Returns: whether it was there.
-- Errors:  SL004 a batch still needs it.
create or replace function sluice.delete_file(id bigint, tenant text) returns boolean
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  v_file sluice.file := sluice.visible_file(delete_file.id, delete_file.tenant);
begin
  if v_file.id in (select b.input_file from sluice.batch b where b.phase in ('validate', 'submit'))
    then
    raise exception 'file-% is being read by a batch', v_file.id using errcode = 'SL004',
      hint = 'Cancel the batch, or wait until it is in progress.';
  end if;
  delete from sluice.file f where f.id = v_file.id;
  return found;
end
$$;

-- abandon_file: deletes the file of an upload that failed.
create or replace function sluice.abandon_file(file bigint) returns void
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
begin
  delete from sluice.file f where f.id = abandon_file.file and f.bytes is null;
end
$$;

-- file_parts_step_max: of how many parts of a file one step deletes: some 64 MB, 0.15 s.
create or replace function sluice.file_parts_step_max() returns int
language sql immutable parallel safe
as $$ select 64 $$;

-- drop_old_files: deletes the oldest file whose lifetime is over and which no batch reads or
-- writes, or its last parts: a batch's output may have 10 GB, and others' steps wait meanwhile.
-- Nobody sees what is left of it.
-- Returns: whether there was one.
create or replace function sluice.drop_old_files(p_now timestamptz) returns boolean
language plpgsql volatile
as $$
declare
  v_used bigint[] := array(
    select f.id from sluice.batch b
    cross join lateral (values (case when b.phase in ('validate', 'submit') then b.input_file end),
      (b.output_file), (b.error_file)) f(id)
    where b.phase <> 'done' and f.id is not null);
  v_file bigint := (
    select o.id from sluice.file o where o.expires_at <= p_now and o.id <> all (v_used)
    order by o.expires_at limit 1 for update skip locked);
  v_last int := (select max(p.n) from sluice.file_part p where p.file = v_file);
begin
  if v_last < sluice.file_parts_step_max() or v_last is null then
    delete from sluice.file f where f.id = v_file;
    return found;
  end if;
  -- An upload that has not ended yet does not end any more.
  update sluice.file f set bytes = null, lines = null, expires_at = '-infinity'
  where f.id = v_file and f.expires_at > '-infinity';
  delete from sluice.file_part p
  where p.file = v_file and p.n > v_last - sluice.file_parts_step_max();
  return true;
end
$$;
