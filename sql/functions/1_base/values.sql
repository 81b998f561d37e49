-- Times as integers, because a sequence holds one: microseconds (marks) and nanoseconds (buckets)
-- since the epoch. The functions are stable, like the functions that they call: if they were
-- declared immutable, PostgreSQL would not inline them (40 us a call instead of 0).

-- micros: p_time in microseconds since the epoch, exact.
create or replace function sluice.micros(p_time timestamptz) returns bigint
language sql stable parallel safe
as $$ select (extract(epoch from p_time) * 1000000)::bigint $$;

-- from_micros: the inverse of micros, exact (interval arithmetic, no floating-point seconds).
create or replace function sluice.from_micros(p_micros bigint) returns timestamptz
language sql stable parallel safe
as $$ select timestamptz 'epoch' + p_micros * interval '1 microsecond' $$;

-- is_due: whether the time has come that a sequence holds. What is p_bound ahead, or more, a clock
-- has set that was set back since: that is due, too.
create or replace function sluice.is_due(p_sequence regclass, p_bound interval, p_now timestamptz)
returns boolean
language sql volatile
as $$
  select coalesce(pg_sequence_last_value(p_sequence), 0)
    not between sluice.micros(p_now) + 1 and sluice.micros(p_now + p_bound) - 1
$$;

-- seconds_between: from p_from to p_to; null: not known.
create or replace function sluice.seconds_between(p_from timestamptz, p_to timestamptz)
returns double precision
language sql immutable parallel safe
as $$ select extract(epoch from p_to - p_from)::double precision $$;

-- Checks the JSON of clients against the types of columns: a message names the key, the value, and
-- the values allowed.

-- check_columns: SL004 unless p_values is an object whose keys are all among p_columns.
create or replace function sluice.check_columns(p_values jsonb, p_columns text[]) returns void
language plpgsql immutable
as $$
declare
  v_unknown text;
begin
  if jsonb_typeof(p_values) is distinct from 'object' then
    raise exception 'the body is a JSON %, not an object', coalesce(jsonb_typeof(p_values), 'null')
      using errcode = 'SL004', hint = 'Its keys are: ' || array_to_string(p_columns, ', ') || '.';
  end if;
  v_unknown := (select left(min(k), 200) from jsonb_object_keys(p_values) k
    where k <> all (p_columns));
  if v_unknown is not null then
    raise exception 'unknown key "%"', v_unknown using errcode = 'SL004', column = v_unknown,
      hint = 'The keys are: ' || array_to_string(p_columns, ', ') || '.';
  end if;
end
$$;

-- read_record: JSON from a client as a row of a type. Runs with the caller's rights, and so do the
-- checks of a type that he passes.
-- Params:  p_type: a null of a composite type of this schema; p_values: an object.
-- Errors:  SL004 not an object, unknown keys, or values of another type; COLUMN is the key at
--          fault.
create or replace function sluice.read_record(p_type anyelement, p_values jsonb) returns anyelement
language sql volatile
set search_path = sluice, pg_temp
as $$
  select jsonb_populate_record(p_type,
    sluice.checked_values((select t.typname from pg_type t
      where t.oid = pg_typeof(p_type)), p_values))
$$;

-- checked_values: p_values itself, if it is an object whose keys are columns of the composite type
-- p_type of this schema, and each value fits its column. A boolean is true or false: PostgreSQL
-- would take 1 and "yes", too, and the front, which reads the same body, does not.
-- Errors:  as read_record.
create or replace function sluice.checked_values(p_type text, p_values jsonb) returns jsonb
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  v_key text;
begin
  perform sluice.check_columns(p_values, sluice.configurable_columns(p_type)),
    sluice.check_types(p_type, p_values);
  select a.attname into v_key from pg_attribute a
  where a.attrelid = to_regclass('sluice.' || quote_ident(p_type))
    and a.atttypid = 'boolean'::regtype
    and jsonb_typeof(p_values -> a.attname) not in ('boolean', 'null') limit 1;
  if found then
    raise exception '% is no boolean', v_key using errcode = 'SL004', column = v_key,
      hint = 'It is true or false.';
  end if;
  return p_values;
end
$$;

-- check_types: SL004 for the first key of p_values whose column cannot hold its value. PostgreSQL's
-- own message would not name the key.
-- Params:  p_type: a table or composite type of this schema; p_values: an object. Keys that are not
--          columns are skipped.
-- Errors:  SL004; COLUMN is the key.
create or replace function sluice.check_types(p_type text, p_values jsonb) returns void
language plpgsql volatile
as $$
declare
  v_column record;
begin
  for v_column in
    select a.attname as key, p_values -> a.attname as value, a.atttypid::regtype as type
    from pg_attribute a
    where a.attrelid = to_regclass('sluice.' || quote_ident(p_type)) and a.attnum > 0
      and not a.attisdropped
      and p_values ? a.attname order by a.attnum
  loop
    begin
      execute format('select jsonb_populate_record(null::sluice.%I, $1)', p_type)
      using jsonb_build_object(v_column.key, v_column.value);
    exception when data_exception then
      raise exception '% % is not %', v_column.key, left(v_column.value::text, 100),
        sluice.type_text(v_column.type)
        using errcode = 'SL004', column = v_column.key,
          hint = sluice.example_text(v_column.key, v_column.type);
    end;
  end loop;
end
$$;

-- check_durations: refuses a duration given as a bare number: PostgreSQL would read it as seconds,
-- and 7 may have meant days. 0 is allowed.
-- Params:  p_table: models or settings; p_values: an object. Keys that are not columns are skipped.
-- Errors:  SL004 such a number; COLUMN is the key.
create or replace function sluice.check_durations(p_table text, p_values jsonb) returns void
language plpgsql stable security definer
set search_path = sluice, pg_temp
as $$
declare
  v_key text := (
    select min(a.attname) from pg_attribute a
    where a.attrelid = to_regclass('sluice.' || quote_ident(p_table))
      and a.atttypid = 'interval'::regtype
      and p_values ->> a.attname ~ E'^\\s*[-+]?[0-9.]*[0-9][0-9.]*(e[-+]?[0-9]+)?\\s*$'
        and p_values ->> a.attname ~ '[1-9]');
begin
  if v_key is not null then
    raise exception '% % has no unit', v_key, left((p_values -> v_key)::text, 100)
      using errcode = 'SL004', column = v_key, hint = 'Such as "7 days", "24h" or "30 s".';
  end if;
end
$$;

-- type_text: the name of a type in messages.
create or replace function sluice.type_text(p_type regtype) returns text
language sql stable
as $$
  select case p_type
    when 'int2'::regtype then 'a whole number up to 32767'
    when 'int4'::regtype then 'a whole number up to 2147483647'
    when 'int8'::regtype then 'a whole number'
    when 'float4'::regtype then 'a number'
    when 'numeric'::regtype then 'a number'
    when 'bool'::regtype then 'true or false'
    when 'interval'::regtype then 'a duration'
    when 'timestamptz'::regtype then 'a time'
    when 'text[]'::regtype then 'an array of texts'
    when 'int8[]'::regtype then 'an array of whole numbers'
    else 'a value of type ' || p_type end
$$;

-- rank_max: the worst rank; the best is -rank_max(). A task's rank is minus its priority, so
-- priorities have the same bounds.
-- twin: rank_max (change all alike)
create or replace function sluice.rank_max() returns smallint
language sql immutable parallel safe
as $$ select 100::smallint $$;

-- example_text: an example of a valid value; empty where the type's name says enough.
-- twin: rank_max
create or replace function sluice.example_text(p_key text, p_type regtype) returns text
language sql stable
as $$
  select case
    when p_key = 'priority'
      then '-100 to 100, higher first; over HTTP also "hot" (50) and "cold" (0).'
    when p_type = 'interval'::regtype then 'Such as "30 s", "5 minutes" or "24h".'
    when p_type = 'timestamptz'::regtype then 'Such as "2030-01-01T12:00:00Z".'
    when p_key = 'paths' then 'Such as ["/single"].' else '' end
$$;

-- is_small_json: whether p_json has at most p_bytes_max bytes, both as jsonb and as text. It looks
-- at the numbers first, because a number that is short in jsonb may be long as text: 1e131071 has
-- 131,072 digits. It allows 400 digits before and after the point, more than a double can have.
create or replace function sluice.is_small_json(p_json jsonb, p_bytes_max int) returns boolean
language plpgsql stable strict parallel safe   -- as pg_column_size is
as $$
begin
  if pg_column_size(p_json) > p_bytes_max then
    return false;
  elsif p_json @? 'strict $.** ? (@.type() == "number")' and exists (
      select from jsonb_path_query(p_json, 'strict $.** ? (@.type() == "number")') n
      where abs(n::numeric) >= 1e400 or scale(n::numeric) > 400) then
    return false;
  end if;
  -- by itself: in one expression the planner would work it out beforehand
  return octet_length(p_json::text) <= p_bytes_max;
end
$$;

-- names_text: the names of models and routes, for the error of a task that named none of them: the
-- first 20, each cut at 50 characters.
create or replace function sluice.names_text() returns text
language plpgsql stable
as $$
declare
  v_names text[] := array(
    select n.name
    from (select name from sluice.models union select route from sluice.routes) n order by n.name);
begin
  return case when v_names = '{}'
    then 'There are no models yet: sluice model set NAME url=… makes one.'
    else 'Known are ' || sluice.first_names(v_names) || '.' end;
end
$$;

-- first_names: the first 20 of p_names for a hint, each cut at 50 characters.
create or replace function sluice.first_names(p_names text[]) returns text
language plpgsql immutable
as $$
begin
  return array_to_string(array(select left(n, 50) from unnest(p_names[:20]) n), ', ')
    || case when cardinality(p_names) > 20 then format(' and %s more', cardinality(p_names) - 20)
      else '' end;
end
$$;

-- hidden_columns: the columns of models, tenants and settings that triggers maintain. Nobody sets
-- them, and they are shown to nobody.
create or replace function sluice.hidden_columns() returns text[]
language sql immutable parallel safe
as $$ select array['one', 'id', 'limits_changed_at', 'calls_changed_at', 'is_priced',
  'is_budgeted', 'is_compared'] $$;

-- configurable_columns: the columns of a table that configure() may set, or those of a composite
-- type: all but the hidden ones.
create or replace function sluice.configurable_columns(p_table text) returns text[]
language plpgsql stable
as $$
begin
  return array(select a.attname::text from pg_attribute a
    where a.attrelid = to_regclass('sluice.' || quote_ident(p_table)) and a.attnum > 0
      and not a.attisdropped
      and a.attname <> all (sluice.hidden_columns())
    order by a.attnum);
end
$$;

-- look_time: for how long a search looks before it says that it has not seen all.
create or replace function sluice.look_time() returns interval
language sql immutable parallel safe
as $$ select interval '100 ms' $$;
