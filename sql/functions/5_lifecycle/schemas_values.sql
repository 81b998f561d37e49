-- What a JSON Schema (schemas.sql) says of one value. All is said in expressions without queries:
-- PostgreSQL takes 10 us for those, and 200 for one CASE with all of them and one query in it.

-- pattern_text_max: of the texts that a pattern is compared with, in characters.
create or replace function sluice.pattern_text_max() returns int
language sql immutable parallel safe
as $$ select 1000 $$;

-- value_fault: what is wrong with one value by what its schema says of itself, not of what is in
-- it; null: nothing. It quotes the schema, never the value.
create or replace function sluice.value_fault(p_schema jsonb, p_value jsonb) returns text
language plpgsql immutable
as $$
declare
  v_type text := jsonb_typeof(p_value);
  v_types jsonb := p_schema -> 'type';
begin
  if v_types is not null and not v_types @> to_jsonb(v_type) and not (v_type = 'number'
    and v_types @> '"integer"' and p_value::numeric = trunc(p_value::numeric)) then
    return 'is no ' || replace(translate(v_types::text, '[]"', ''), ', ', ' or ');
  elsif p_schema ? 'const' and p_value <> p_schema -> 'const' then
    return 'is not the const';
  elsif p_schema ? 'enum' and not sluice.is_in_enum(p_schema -> 'enum', p_value) then
    return 'is none of the enum';
  elsif v_type = 'object' then
    return sluice.object_fault(p_schema, p_value);
  elsif v_type = 'number' and p_schema ?| '{minimum, maximum, exclusiveMinimum, exclusiveMaximum,
    multipleOf}' then
    return sluice.number_fault(p_schema, p_value::numeric);
  elsif v_type = 'string' and p_schema ?| '{minLength, maxLength, pattern}' then
    return sluice.text_fault(p_schema, p_value #>> '{}');
  elsif v_type = 'array' and jsonb_array_length(p_value) < (p_schema ->> 'minItems')::numeric then
    return format('has fewer than %s items', p_schema ->> 'minItems');
  elsif v_type = 'array' and jsonb_array_length(p_value) > (p_schema ->> 'maxItems')::numeric then
    return format('has more than %s items', p_schema ->> 'maxItems');
  end if;
  return null;
end
$$;

-- is_in_enum: whether a value is one of an array's. `@>` compares scalars; an array or object would
-- be there if it were a part of an element.
create or replace function sluice.is_in_enum(p_enum jsonb, p_value jsonb) returns boolean
language plpgsql immutable
as $$
begin
  return case when jsonb_typeof(p_value) in ('array', 'object')
    then exists (select from jsonb_array_elements(p_enum) e where e = p_value)
    else p_enum @> p_value end;
end
$$;

-- number_fault: value_fault of a number.
create or replace function sluice.number_fault(p_schema jsonb, p_number numeric) returns text
language plpgsql immutable
as $$
begin
  return case
    when p_number < (p_schema ->> 'minimum')::numeric
      then 'is less than ' || (p_schema ->> 'minimum')
    when p_number > (p_schema ->> 'maximum')::numeric
      then 'is more than ' || (p_schema ->> 'maximum')
    when p_number <= (p_schema ->> 'exclusiveMinimum')::numeric
      then 'is not more than ' || (p_schema ->> 'exclusiveMinimum')
    when p_number >= (p_schema ->> 'exclusiveMaximum')::numeric
      then 'is not less than ' || (p_schema ->> 'exclusiveMaximum')
    when mod(p_number, (p_schema ->> 'multipleOf')::numeric) <> 0
      then 'is no multiple of ' || (p_schema ->> 'multipleOf') end;
end
$$;

-- text_fault: value_fault of a text.
create or replace function sluice.text_fault(p_schema jsonb, p_text text) returns text
language plpgsql immutable
as $$
begin
  return case
    when length(p_text) < (p_schema ->> 'minLength')::numeric
      then format('is shorter than %s', p_schema ->> 'minLength')
    when length(p_text) > (p_schema ->> 'maxLength')::numeric
      then format('is longer than %s', p_schema ->> 'maxLength')
    when p_text !~ (p_schema ->> 'pattern') then 'does not match the pattern' end;
end
$$;

-- object_fault: value_fault of an object: of how many properties it has, and which.
create or replace function sluice.object_fault(p_schema jsonb, p_value jsonb) returns text
language plpgsql immutable
as $$
declare
  v_required jsonb := p_schema -> 'required';
  v_count bigint;
begin
  for i in 0 .. coalesce(jsonb_array_length(v_required), 0) - 1 loop
    if not p_value ? (v_required ->> i) then
      return format('lacks "%s"', v_required ->> i);
    end if;
  end loop;
  if p_schema ?| '{minProperties, maxProperties}' then
    v_count := sluice.property_count(p_value);
    return case
      when v_count < (p_schema ->> 'minProperties')::numeric
        then format('has fewer than %s properties', p_schema ->> 'minProperties')
      when v_count > (p_schema ->> 'maxProperties')::numeric
        then format('has more than %s properties', p_schema ->> 'maxProperties') end;
  end if;
  return null;
end
$$;

-- property_count: how many properties an object has.
create or replace function sluice.property_count(p_value jsonb) returns bigint
language sql immutable
as $$ select count(*) from jsonb_object_keys(p_value) $$;

-- schema_steps: how many steps it takes to check one value: 1, and more for what takes longer: a
-- large value, many items or properties, which are listed first and then take steps of their own, a
-- long enum, many required properties, a pattern and, ten times more, one that repeats by {m,n}.
create or replace function sluice.schema_steps(p_schema jsonb, p_value jsonb) returns int
language plpgsql immutable
as $$
declare
  v_type text := jsonb_typeof(p_value);
  v_steps int := 1 + pg_column_size(p_value) / 100000;
begin
  if p_schema ? 'enum' then
    v_steps := v_steps + jsonb_array_length(p_schema -> 'enum') / 20;
  end if;
  if v_type = 'array' and p_schema ? 'items' then
    v_steps := v_steps + jsonb_array_length(p_value) / 20;
  elsif v_type = 'object' and p_schema ?| '{properties, additionalProperties, minProperties,
    maxProperties}' then
    v_steps := v_steps + sluice.property_count(p_value) / 20;
  end if;
  if v_type = 'object' and p_schema ? 'required' then
    v_steps := v_steps + jsonb_array_length(p_schema -> 'required') / 20;
  elsif v_type = 'string' and p_schema ? 'pattern' then
    v_steps := v_steps + least(length(p_value #>> '{}'), sluice.pattern_text_max())
      / case when p_schema ->> 'pattern' ~ '[{]' then 10 else 100 end;
  end if;
  return v_steps;
end
$$;
