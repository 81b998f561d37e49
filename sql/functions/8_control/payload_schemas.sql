-- The versions of payloads that a model or route knows: rows of sluice.payload_schema, which
-- administrators write with plain SQL. Each has lines of its own (2_storage/lines.sql).

-- before_payload_schema_changes: refuses what is no schema, and no target.
create or replace function sluice.before_payload_schema_changes() returns trigger
language plpgsql security definer
set search_path = sluice, pg_temp
as $$
declare
  c_versions_max constant int := 32;  -- of one model or route: each has a line
  -- A session keeps 32 compiled ones: of more, each is compiled for each value, 0.1 to 10 ms.
  c_patterns_max constant int := 16;
begin
  if new.schema is not null and (tg_op = 'INSERT' or new.schema is distinct from old.schema) then
    if octet_length(new.schema::text) > sluice.schema_bytes_max() then
      perform sluice.refuse_schema('$', format('it has more than %s bytes',
        sluice.schema_bytes_max()));
    elsif (select count(distinct p) from jsonb_path_query(new.schema,
      '$.**.pattern ? (@.type() == "string")') p) > c_patterns_max then
      perform sluice.refuse_schema('$', format('it has more than %s patterns', c_patterns_max));
    end if;
    perform sluice.check_schema(new.schema);
  end if;
  if tg_op = 'UPDATE' then
    -- A model that was renamed keeps its lines.
    if new.version <> old.version or new.target <> old.target and not exists (
      select from sluice.models m join sluice.route_line l on l.model = m.id
      where m.name = new.target and l.version = old.version and l.route is null) then
      raise exception 'the target and the version of a schema stay' using errcode = '23514',
        hint = 'Insert another row; delete this one when nothing of it waits.';
    end if;
    return new;
  end if;
  if not sluice.keep_name(new.target) then
    perform sluice.refuse_unknown(new.target, 'target');
  elsif (select count(*) from sluice.payload_schema s where s.target = new.target)
    >= c_versions_max then
    raise exception '"%" has % versions', new.target, c_versions_max
      using errcode = 'SL004', column = 'version', hint = 'Delete some that nobody uses any more.';
  end if;
  return new;
end
$$;

-- after_payload_schema_is_added: makes the lines of a new version that there are not yet. Not
-- before: only then its constraint has looked at it, which is part of the text of their functions.
create or replace function sluice.after_payload_schema_is_added() returns trigger
language plpgsql security definer
set search_path = sluice, pg_temp
as $$
begin
  perform sluice.make_route_line(null, null, new.version, m.id) from sluice.models m
  where m.name = new.target;
  if not found then
    perform sluice.make_route_line(new.target, a.api, new.version)
    from (select null as api union
      select m.api from sluice.routes r join sluice.models m on m.name = r.model
      where r.route = new.target) a;
  end if;
  return null;
end
$$;

-- after_payload_schema_is_gone: drops the lines of a deleted version. Its submits wait for it, or
-- it for them; a claim that holds them makes it fail.
-- Errors:  23503 tasks of it wait, or are under way; 55P03 a line is in use.
create or replace function sluice.after_payload_schema_is_gone() returns trigger
language plpgsql security definer
set search_path = sluice, pg_temp
set lock_timeout = '1s'
as $$
declare
  v_lines int[] := array(
    select -l.n from sluice.route_line l
    left join sluice.models m on m.id = l.model and l.route is null
    where l.version = old.version and old.target in (l.route, m.name) order by 1);
  v_line int;
  v_waiting bigint := 0;
begin
  foreach v_line in array v_lines loop
    perform sluice.lock_line(v_line);
    execute format('lock table sluice.%I in access exclusive mode',
      sluice.place_of(v_line));
    -- Waits for submits whose tasks are only in later (hold_line), and changes nothing.
    execute format('alter sequence sluice.%I no cycle', 'waits_' || sluice.line_name(v_line));
    v_waiting := v_waiting + sluice.depth(v_line)
      + (select count(*) from sluice.lease l where l.line = v_line);
  end loop;
  v_waiting := v_waiting + (select count(*) from sluice.later l
    cross join lateral (
      select t.schema_version from sluice.task t where t.id = l.task_id limit 1) t
    left join sluice.models m on m.id = l.model
    where t.schema_version = old.version and old.target in (l.route, m.name));
  if v_waiting > 0 then
    raise exception 'unfinished tasks of "%" with schema version "%": %', old.target, old.version,
      v_waiting
      using errcode = '23503', hint = 'Wait for them, or cancel them; then delete it.';
  end if;
  perform sluice.drop_line(l) from unnest(v_lines) l;
  delete from sluice.route_line where -n = any (v_lines);
  return null;
end
$$;

-- after_route_is_renamed: the versions of a route follow its name once no row has the old one, and
-- so does what names it.
-- Errors:  23503 tasks of a version wait, or are under way; 55P03 a line is in use.
create or replace function sluice.after_route_is_renamed() returns trigger
language plpgsql security definer
set search_path = sluice, pg_temp
as $$
begin
  if not exists (select from sluice.routes r where r.route = old.route) then
    insert into sluice.payload_schema (target, version, schema, created_at)
    select new.route, s.version, s.schema, s.created_at from sluice.payload_schema s
    where s.target = old.route on conflict do nothing;
    delete from sluice.payload_schema s where s.target = old.route;
    perform sluice.follow_name(old.route, new.route);
  end if;
  return null;
end
$$;

create or replace trigger before_payload_schema_changes before insert or update
  on sluice.payload_schema for each row execute function sluice.before_payload_schema_changes();
create or replace trigger after_payload_schema_is_added after insert
  on sluice.payload_schema for each row execute function sluice.after_payload_schema_is_added();
create or replace trigger after_payload_schema_is_gone after delete
  on sluice.payload_schema for each row execute function sluice.after_payload_schema_is_gone();
create or replace trigger after_route_is_renamed after update of route on sluice.routes
  for each row when (old.route <> new.route) execute function sluice.after_route_is_renamed();
