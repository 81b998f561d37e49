begin;
\ir ../_helpers.sql
select plan(58);

-- fault_of: what schema_fault says.
create function fault_of(p_schema jsonb, p_value jsonb) returns text language sql
as $$ select (sluice.schema_fault(p_schema, p_value, '$', sluice.schema_steps_max())).fault $$;

select is(fault_of(schema::jsonb, value::jsonb), expected, concat_ws(' of ', schema, value))
from (values
  ('true', '1', null),
  ('false', '1', '$ is not allowed'),
  ('{}', 'null', null),
  ('{"type": "string"}', '"x"', null),
  ('{"type": "string"}', '1', '$ is no string'),
  ('{"type": ["string", "null"]}', 'null', null),
  ('{"type": ["string", "null"]}', '{}', '$ is no string or null'),
  ('{"type": "integer"}', '1.0', null),
  ('{"type": "integer"}', '1.5', '$ is no integer'),
  ('{"type": "number"}', '1', null),
  ('{"type": "boolean"}', '0', '$ is no boolean'),
  ('{"enum": ["a", 1, null]}', 'null', null),
  ('{"enum": ["a", 1, null]}', '"b"', '$ is none of the enum'),
  ('{"const": {"a": [1]}}', '{"a": [1.0]}', null),
  ('{"const": null}', '0', '$ is not the const'),
  ('{"minimum": 2}', '1', '$ is less than 2'),
  ('{"minimum": 2}', '2', null),
  ('{"maximum": 2}', '3', '$ is more than 2'),
  ('{"exclusiveMinimum": 2}', '2', '$ is not more than 2'),
  ('{"exclusiveMaximum": 2}', '2', '$ is not less than 2'),
  ('{"multipleOf": 0.01}', '0.07', null),
  ('{"multipleOf": 0.01}', '0.075', '$ is no multiple of 0.01'),
  ('{"minimum": 2}', '"x"', null),
  ('{"minLength": 2}', '"é"', '$ is shorter than 2'),
  ('{"maxLength": 2}', '"éé"', null),
  ('{"maxLength": 2}', '"ééé"', '$ is longer than 2'),
  ('{"pattern": "^a+$", "maxLength": 9}', '"aaa"', null),
  ('{"pattern": "^a+$", "maxLength": 9}', '"aab"', '$ does not match the pattern'),
  ('{"pattern": "^a+$", "maxLength": 9}', '5', null),
  ('{"minItems": 1}', '[]', '$ has fewer than 1 items'),
  ('{"maxItems": 1}', '[1, 2]', '$ has more than 1 items'),
  ('{"items": {"type": "string"}}', '["a", "b"]', null),
  ('{"items": {"type": "string"}}', '["a", 2, 3]', '$[1] is no string'),
  ('{"items": false}', '[]', null),
  ('{"required": ["a", "b"]}', '{"a": null}', '$ lacks "b"'),
  ('{"required": ["a"]}', '{"a": null}', null),
  ('{"required": ["a"]}', '[]', null),
  ('{"minProperties": 1}', '{}', '$ has fewer than 1 properties'),
  ('{"maxProperties": 1}', '{"a": 1, "b": 2}', '$ has more than 1 properties'),
  ('{"properties": {"a": {"type": "string"}}}', '{"a": 1}', '$.a is no string'),
  ('{"properties": {"a": {"type": "string"}}}', '{"b": 1}', null),
  ('{"properties": {"a": true}, "additionalProperties": false}', '{"a": 1}', null),
  ('{"properties": {"a": true}, "additionalProperties": false}', '{"a": 1, "b": 2}',
    '$.b is not allowed'),
  ('{"additionalProperties": {"type": "string"}}', '{"a": "x", "b": 2}', '$.b is no string'),
  ('{"properties": {"m": {"items": {"properties": {"role": {"enum": ["user"]}}}}}}',
    '{"m": [{"role": "user"}, {"role": "robot"}]}', '$.m[1].role is none of the enum'),
  ('{"allOf": [{"minimum": 1}, {"maximum": 2}]}', '3', '$ is more than 2'),
  ('{"allOf": [{"minimum": 1}, {"maximum": 2}]}', '2', null),
  ('{"anyOf": [{"type": "string"}, {"minimum": 2}]}', '1', '$ fits none of anyOf'),
  ('{"anyOf": [{"type": "string"}, {"minimum": 2}]}', '"x"', null),
  ('{"oneOf": [{"minimum": 1}, {"minimum": 2}]}', '2', '$ fits 2 of oneOf'),
  ('{"oneOf": [{"minimum": 1}, {"minimum": 2}]}', '1', null),
  ('{"not": {"type": "string"}}', '"x"', '$ fits 1 of not'),
  ('{"not": {"type": "string"}}', '1', null),
  ('{"anyOf": [{"type": "string"}], "oneOf": [true], "not": false}', '"x"', null),
  ('{"anyOf": [{"type": "string"}], "oneOf": [true], "not": true}', '"x"', '$ fits 1 of not')
) v(schema, value, expected);

-- its parts
select is(sluice.value_fault('{"type": "string"}', '1'), 'is no string', 'of one value');
select is(sluice.object_fault('{"required": ["a"]}', '{}'), 'lacks "a"', 'of an object');
select is((select array_agg(path || ' ' || coalesce(way, 'all') order by path, way)
    from sluice.parts_to_check('{"items": true, "anyOf": [true], "allOf": [true]}', '[1]', '$')),
  '{"$ anyOf","$ all","$[0] all"}', 'and what else is to be checked');

select * from finish();
rollback;
