-- The audit of actions and their actors. Triggers note changes of the configuration by plain SQL;
-- commands note themselves. Changes that workers make on their own (a closure after a 429) are
-- nobody's decision and are not noted.

-- note_audit: writes one row for an administrator's command, in the same transaction: a command
-- that is rolled back is not noted. The row names the login, whatever role it has set, and the key
-- for which the HTTP front acted. Credentials in URLs are left out.
-- Params:  p_action: the function's name; p_object: a model's name or a task's id (null: several);
--          p_detail: its arguments. Its time is the clock's, which nobody chooses: a row of another
--          time would be forgotten with those of that time.
create or replace function sluice.note_audit(
  p_action text, p_object text default null, p_detail jsonb default null)
returns void
language plpgsql volatile
as $$
declare
  c_bytes_max constant int := 65536;
  v_detail jsonb := '{"cut": "it had more than 64 KiB"}';
begin
  if coalesce(sluice.is_small_json(p_detail, c_bytes_max), true) then
    v_detail := sluice.without_userinfo(jsonb_strip_nulls(p_detail)::text);
  end if;
  insert into sluice.audit (at, who, api_key, action, object, detail)
  values (clock_timestamp(), session_user, sluice.caller_key(), p_action, left(p_object, 200),
    v_detail);
end
$$;

-- note_command: note_audit, except for a client acting on his own tasks: that is no administrator's
-- decision, and he could fill the audit with it.
create or replace function sluice.note_command(
  p_action text, p_object text default null, p_detail jsonb default null)
returns void
language plpgsql volatile
as $$
begin
  if sluice.acts_as_administrator() then
    perform sluice.note_audit(p_action, p_object, p_detail);
  end if;
end
$$;

-- without_userinfo: a text whose URLs have no user and password.
create or replace function sluice.without_userinfo(p_text text) returns text
language sql immutable strict parallel safe
as $$ select regexp_replace(p_text, E'(https?://)(?:[^/?#"\\s\\\\]|\\\\.)*@', E'\\1', 'g') $$;

-- without_secrets: the detail of an audit row without the names of secrets, without URLs (those of
-- a schema, too) and without backends' error messages (closed_reason once held these, too).
create or replace function sluice.without_secrets(p_detail jsonb) returns jsonb
language plpgsql immutable strict parallel safe security definer
set search_path = sluice, pg_temp
as $$
begin
  return (
    select jsonb_object_agg(d.key,
      case when d.key in ('secret', 'url', 'trace_url', 'schema', 'closed_reason', 'closed_detail')
      then '"for administrators"' else d.value end)
    from jsonb_each(p_detail) d);
end
$$;

-- shown_reason: why a model is closed, as the present caller may know it.
-- Params:  p_reason: closed_reason, for everybody; p_detail: closed_detail, for administrators.
create or replace function sluice.shown_reason(p_reason text, p_detail text) returns text
language plpgsql stable security definer
set search_path = sluice, pg_temp
as $$
begin
  return case when p_detail is not null
    and sluice.acts_as_administrator() then p_detail else p_reason end;
end
$$;

-- note_configuration: a trigger that notes the row inserted or deleted, or the changed columns, as
-- {"rpm": [60, 600]}. Secrets are noted: they are references, which administrators may see.
create or replace function sluice.note_configuration() returns trigger
language plpgsql security definer
set search_path = sluice, pg_temp
as $$
declare
  v_old jsonb := to_jsonb(old);
  v_new jsonb := to_jsonb(new) - sluice.hidden_columns();
  v_row jsonb := coalesce(v_new, v_old);
  v_detail jsonb := v_row;
begin
  if tg_op = 'UPDATE' then
    select jsonb_object_agg(n.key, jsonb_build_array(v_old -> n.key, n.value)) into v_detail
    from jsonb_each(v_new) n where n.value is distinct from v_old -> n.key;
  end if;
  if v_detail is not null then
    perform sluice.note_audit(lower(tg_op collate "C") || ' ' || tg_table_name,
      case tg_table_name when 'routes' then (v_row ->> 'route') || ' -> ' || (v_row ->> 'model')
        when 'prices' then v_row ->> 'model'
        when 'payload_schema' then (v_row ->> 'target') || ' ' || (v_row ->> 'version')
        when 'fallbacks' then (v_row ->> 'target') || ' ' || (v_row ->> 'cause')
        else v_row ->> 'name' end,
      v_detail);
  end if;
  return null;
end
$$;

-- Not for what our functions change, nor for cascades: there the current user is the owner, who is
-- not the caller. In a SECURITY DEFINER function of somebody else it is neither (D-096).
do $$
declare
  v_table text;
begin
  foreach v_table in array array['models', 'routes', 'tenants', 'settings', 'prices',
      'budgets', 'payload_schema', 'fallbacks'] loop
    execute format($sql$
      create or replace trigger note_configuration after insert or update or delete on sluice.%I
        for each row
      when (current_user <> %L
        or current_user = coalesce(nullif(current_setting('role'), 'none'), session_user))
      execute function sluice.note_configuration()$sql$, v_table, current_user);
  end loop;
end
$$;

-- audit_rows_max, audit_readings_max: how many rows of the audit are kept, whatever their age: some
-- 300 MB; and how many that say who read a text, 40 MB. These are apart, because whoever may read
-- his own tasks could push the others out with them.
create or replace function sluice.audit_rows_max() returns bigint
language sql immutable parallel safe
as $$ select 1000000::bigint $$;

create or replace function sluice.audit_readings_max() returns bigint
language sql immutable parallel safe
as $$ select 200000::bigint $$;

-- forget_audit: removes rows older than 400 days (enough for a yearly review, and a month to do it
-- in) or beyond the numbers above; at most 1,000 of each kind a call. Called by tick and retain.
-- Where it counts rows it walks an index, some 60 ms for a million, and only while there are so
-- many.
create or replace function sluice.forget_audit(p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_ids bigint := (select max(id) - min(id) from sluice.audit);
  v_upto bigint := case when v_ids >= sluice.audit_rows_max() then (
    select a.id from sluice.audit a where a.action <> 'read_texts'
    order by a.id desc offset sluice.audit_rows_max() limit 1) end;
  v_readings_upto bigint := case when v_ids >= sluice.audit_readings_max() then (
    select a.id from sluice.audit a where a.action = 'read_texts'
    order by a.id desc offset sluice.audit_readings_max() limit 1) end;
begin
  -- Not a join: where the statistics still say that there are few rows, each of them would be
  -- compared with all of the oldest.
  delete from sluice.audit a where a.id = any (array(
    select o.id from (
      (select id, at, v_upto as upto from sluice.audit where action <> 'read_texts'
       order by id limit 1000)
      union all
      (select id, at, v_readings_upto from sluice.audit where action = 'read_texts'
       order by id limit 1000)) o
    where o.at < p_now - interval '400 days' or o.id <= o.upto));
end
$$;
