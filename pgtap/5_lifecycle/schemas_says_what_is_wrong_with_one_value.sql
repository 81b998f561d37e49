begin;
\ir ../_helpers.sql
select plan(18);

select is(sluice.value_fault(v.s::jsonb, v.v::jsonb), v.fault, v.s || ': ' || v.v)
from (values ('{"type": "integer"}', '1.0', null), ('{"type": "integer"}', '1.5', 'is no integer'),
  ('{"type": ["null", "object"]}', '"x"', 'is no null or object'),
  ('{"type": "number"}', '1', null),
  ('{"maxItems": 1}', '[1, 2]', 'has more than 1 items'), ('{"minItems": 1}', '"x"', null),
  ('{"minimum": 2}', '"x"', null)) v(s, v, fault);
select is(sluice.is_in_enum('[1, "a", null]', '1.00'), true, 'is_in_enum: a number by its value');
select is(sluice.is_in_enum('[["a"]]', '"a"'), false, 'not by an element''s element');
select is(sluice.is_in_enum('[{"a": 1, "b": 2}]', '{"a": 1}'), false, 'nor by a part of one');
select is(sluice.is_in_enum('[[1, 2]]', '[1, 2]'), true, 'an array by all of it');
select is(sluice.number_fault('{"multipleOf": 0.1}', 0.25), 'is no multiple of 0.1',
  'number_fault');
select is(sluice.text_fault('{"minLength": 2}', 'ä'), 'is shorter than 2', 'text_fault');
select is(sluice.object_fault('{"required": ["a", "b"]}', '{"a": null}'), 'lacks "b"',
  'object_fault');
select is(sluice.object_fault('{"maxProperties": 1}', '{"a": 1, "b": 1}'),
  'has more than 1 properties', 'how many there are');
select is(sluice.property_count('{"a": 1, "b": 1}'), 2::bigint, 'property_count');

-- Whatever a caller's session makes of backslashes.
set local standard_conforming_strings = off;
select is(sluice.pattern_fault(E'\\m'),
  E'of escapes a pattern has \\d, \\w, \\s, \\D, \\W, \\S and '
  'those of punctuation', 'another escape');
select is(sluice.pattern_fault(E'a\\.{2}'), null, 'a dot');

select * from finish();
rollback;
