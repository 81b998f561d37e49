-- JSON Schema, the part of its draft 2020-12 that can be checked within bounds: a schema has no
-- references, so it is a tree, and each of its parts meets each value at most once. What a payload
-- costs is bounded, too: its submitter may be hostile. The schema's author is an administrator.
--
--   type, enum, const; required, properties, additionalProperties, minProperties, maxProperties;
--   items, minItems, maxItems; minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf;
--   minLength, maxLength, pattern; allOf, anyOf, oneOf, not
-- and notes that check nothing: $schema, $id, $comment, title, description, default, examples,
-- deprecated, readOnly, writeOnly, format. All others are refused when the schema is stored.

-- schema_bytes_max: of a schema as text: it is read for each task.
create or replace function sluice.schema_bytes_max() returns int
language sql immutable parallel safe
as $$ select 65536 $$;

-- schema_steps_max: how many values of a payload are checked, each against each part of the schema
-- that is about it: 5 to 30 us a step.
create or replace function sluice.schema_steps_max() returns int
language sql immutable parallel safe
as $$ select 10000 $$;

-- refuse_schema: SL004: what is wrong with a schema, and where.
create or replace function sluice.refuse_schema(p_path text, p_problem text) returns void
language plpgsql immutable
as $$
begin
  raise exception 'the schema cannot be checked: %: %', left(p_path, 200), p_problem
    using errcode = 'SL004', column = 'schema',
      hint = 'docs/guides/payload_versions.md lists the keywords of JSON Schema that are known.';
end
$$;

-- pattern_fault: why a pattern is refused; null: it is not. PostgreSQL's expressions without what
-- it does not share with ECMAScript's, without references back, which may take exponential time,
-- and with so few repetitions that it has some 20,000 states at most.
create or replace function sluice.pattern_fault(p_pattern text) returns text
language plpgsql immutable
as $$
declare
  c_chars_max constant int := 200;
  v_repeats double precision;
begin
  v_repeats := (select coalesce(exp(sum(ln(greatest(1, m[1]::numeric)))), 1)
    from regexp_matches(p_pattern, '[{](?:[0-9]{1,5},)?([0-9]{1,5})', 'g') m);
  if length(p_pattern) > c_chars_max then
    return format('a pattern has %s characters at most', c_chars_max);
  elsif p_pattern ~ E'\\\\([a-ce-rt-vx-zA-CE-RT-VX-Z0-9]|$)' then
    return E'of escapes a pattern has \\d, \\w, \\s, \\D, \\W, \\S and those of punctuation';
  elsif p_pattern ~ E'\\(\\?[^:]|\\(\\?$|^\\*\\*\\*|\\[[.:=]' then
    return 'a pattern has groups, as ( and (?:, without options, and no named classes';
  elsif v_repeats > 100.5 then  -- a whole number but for its logarithms' last digits
    return 'a pattern repeats by {m,n} no more than 100 times in all';
  end if;
  perform '' ~ p_pattern;
  return null;
exception when invalid_regular_expression then
  return 'the pattern is not valid';
end
$$;

-- check_schema: refuses a schema that cannot be checked.
-- Params:  p_path: where it stands in the whole; p_depth: how deep.
-- Errors:  SL004, with the path and the keyword.
create or replace function sluice.check_schema(
  p_schema jsonb, p_path text default '$', p_depth int default 1)
returns void
language plpgsql immutable
as $$
declare
  c_depth_max constant int := 20;
  c_notes constant text[] := '{$schema, $id, $comment, title, description, default, examples,
    deprecated, readOnly, writeOnly, format}';
  c_checks constant text[] := '{type, enum, const, required, properties, additionalProperties,
    minProperties, maxProperties, items, minItems, maxItems, minimum, maximum, exclusiveMinimum,
    exclusiveMaximum, multipleOf, minLength, maxLength, pattern, allOf, anyOf, oneOf, not}';
  v record;
begin
  if jsonb_typeof(p_schema) = 'boolean' then
    return;
  elsif jsonb_typeof(p_schema) is distinct from 'object' then
    perform sluice.refuse_schema(p_path, 'a schema is an object, true or false');
  elsif p_depth > c_depth_max then
    perform sluice.refuse_schema(p_path, format('it is nested deeper than %s',
      c_depth_max));
  end if;
  for v in select s.key, s.value, jsonb_typeof(s.value) as type,
      sluice.keyword_fault(s.key, s.value) as fault
    from jsonb_each(p_schema) s where s.key <> all (c_notes)
  loop
    if v.key <> all (c_checks) then
      perform sluice.refuse_schema(p_path, format('the keyword "%s" is not supported',
        left(v.key, 100)));
    elsif v.fault is not null then
      perform sluice.refuse_schema(p_path || '.' || v.key, v.fault);
    elsif v.key = 'properties' then
      perform sluice.check_schema(p.value, format('%s.properties.%s', p_path, p.key), p_depth + 1)
      from jsonb_each(v.value) p;
    elsif v.key in ('allOf', 'anyOf', 'oneOf') then
      perform sluice.check_schema(p.value, format('%s.%s[%s]', p_path, v.key, p.n - 1), p_depth + 1)
      from jsonb_array_elements(v.value) with ordinality p(value, n);
    elsif v.key in ('additionalProperties', 'items', 'not') then
      perform sluice.check_schema(v.value, p_path || '.' || v.key, p_depth + 1);
    elsif v.key = 'pattern' and coalesce((p_schema ->> 'maxLength')::numeric
      > sluice.pattern_text_max(), true) then
      perform sluice.refuse_schema(p_path, format('beside a pattern there is a maxLength, of %s at '
        'most', sluice.pattern_text_max()));
    end if;
  end loop;
end
$$;

-- keyword_fault: what is wrong with the value of a keyword; null: nothing, or another function says
-- it.
create or replace function sluice.keyword_fault(p_key text, p_value jsonb) returns text
language plpgsql immutable
as $$
declare
  c_types constant jsonb := '["null", "boolean", "integer", "number", "string", "array", "object"]';
  v_type text := jsonb_typeof(p_value);
begin
  return case
    when p_key = 'type' and not case v_type when 'string' then c_types @> p_value
      when 'array' then p_value <> '[]' and c_types @> p_value else false end
      then 'it is a type of JSON, or an array of some'
    when p_key in ('enum', 'allOf', 'anyOf', 'oneOf') and (v_type <> 'array' or p_value = '[]')
      then 'it is an array of one at least'
    when p_key = 'required' and (v_type <> 'array'
      or jsonb_path_exists(p_value, '$[*] ? (@.type() <> "string")'))
      then 'it is an array of names'
    when p_key = 'properties' and v_type <> 'object' then 'it is an object'
    when p_key in ('minProperties', 'maxProperties', 'minItems', 'maxItems', 'minLength',
      'maxLength') and (v_type <> 'number' or p_value::numeric < 0
        or p_value::numeric <> trunc(p_value::numeric)) then 'it is a number of things'
    when p_key in ('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf')
      and v_type <> 'number' then 'it is a number'
    when p_key = 'multipleOf' and p_value::numeric <= 0 then 'it is above 0'
    when p_key = 'pattern' then case when v_type <> 'string' then 'it is a text'
      else sluice.pattern_fault(p_value #>> '{}') end end;
end
$$;

-- schema_fault: the first place of a payload that is not as the schema says, and how; null: there
-- is none.
-- Params:  p_path: the value's place in the payload; steps: how many steps are left, before and
--          after.
create or replace function sluice.schema_fault(
  p_schema jsonb, p_value jsonb, p_path text, inout steps int, out fault text)
language plpgsql immutable
as $$
declare
  v record;
  v_part record;
  v_rest text := case jsonb_typeof(p_value) when 'array' then 'items'
    else 'additionalProperties' end;
  v_fitting int := 0;
begin
  steps := steps - sluice.schema_steps(p_schema, p_value);
  if steps < 0 then
    fault := format('%s: more than %s values', p_path, sluice.schema_steps_max());
    return;
  elsif jsonb_typeof(p_schema) = 'boolean' then
    fault := case when p_schema = 'false' then p_path || ' is not allowed' end;
  else
    fault := p_path || ' ' || sluice.value_fault(p_schema, p_value);
  end if;
  if fault is not null or not p_schema ?| '{properties, additionalProperties, items, allOf, anyOf,
    oneOf, not}' then
    return;
  end if;
  for v in select * from sluice.parts_to_check(p_schema, p_value, p_path) loop
    v_part := sluice.schema_fault(coalesce(v.schema, p_schema -> v_rest), v.value, v.path, steps);
    steps := v_part.steps;
    if v.way is null and v_part.fault is not null or steps < 0 then
      fault := v_part.fault;
      return;
    elsif v.is_first then
      v_fitting := 0;
    end if;
    v_fitting := v_fitting + (v_part.fault is null)::int;
    if v.is_last and not (case v.way when 'not' then v_fitting = 0
      when 'oneOf' then v_fitting = 1 else v_fitting > 0 end) then
      fault := format('%s fits %s of %s', p_path, case when v_fitting = 0 then 'none'
        else v_fitting::text end, v.way);
      return;
    end if;
  end loop;
end
$$;

-- parts_to_check: which values are to be checked against which parts of a schema.
-- Returns: way: anyOf, oneOf, not: how the results of one such group, whose first and last element
--          are marked, are joined; null: each must be without fault; schema: null: what all items,
--          or all additional properties, have in common, for a copy in each row would be many MB.
create or replace function sluice.parts_to_check(p_schema jsonb, p_value jsonb, p_path text)
returns table (way text, schema jsonb, value jsonb, path text, is_first boolean, is_last boolean)
language plpgsql immutable
as $$
declare
  v_is_rest_bound boolean := coalesce(p_schema -> 'additionalProperties' <> 'true', false);
begin
  if jsonb_typeof(p_value) = 'object' and p_schema ?| '{properties, additionalProperties}' then
    return query select null, s.schema, e.value, format('%s.%s', p_path, left(e.key, 100)), false,
      false
    from jsonb_each(p_value) e
    cross join lateral (select p_schema -> 'properties' -> e.key as schema offset 0) s
    where case when s.schema is null then v_is_rest_bound else s.schema <> 'true' end;
  elsif jsonb_typeof(p_value) = 'array' and p_schema ? 'items' then
    return query select null, null::jsonb, e.value, format('%s[%s]', p_path, e.n - 1),
      false, false
    from jsonb_array_elements(p_value) with ordinality e(value, n);
  end if;
  if p_schema ?| '{allOf, anyOf, oneOf, not}' then
    return query select nullif(w.way, 'allOf'), e.schema, p_value, p_path, w.way <> 'allOf'
        and e.n = 1, w.way <> 'allOf' and e.n = count(*) over (partition by w.way)
    from (values ('allOf'), ('anyOf'), ('oneOf'), ('not')) w(way)
    cross join lateral jsonb_array_elements(case when w.way = 'not'
      then jsonb_build_array(p_schema -> 'not') else p_schema -> w.way end) with ordinality
        e(schema, n)
    where p_schema ? w.way order by w.way, e.n;
  end if;
end
$$;
