begin;
\ir ../_helpers.sql
select plan(37);

-- refusal: why a schema is refused, without what is said of all.
create function refusal(p_schema jsonb) returns text language sql
as $$
  select replace(message, 'the schema cannot be checked: ', '')
  from error_of(format('select sluice.check_schema(%L)', p_schema))
$$;

select is(refusal(schema::jsonb), expected, schema)
from (values
  ('{"$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "t", "format": "x"}', null),
  ('{"type": "object", "properties": {"a": {"items": {"anyOf": [true, {"not": {}}]}}}}', null),
  ('{"type": "object", "additionalProperties": {"multipleOf": 0.1}, "required": []}', null),
  ('{"pattern": "^[a-z]{2,5}(?:-\\d+)?\\.$", "maxLength": 20}', null),
  ('[]', '$: a schema is an object, true or false'),
  ('{"$ref": "#/a"}', '$: the keyword "$ref" is not supported'),
  ('{"properties": {"a": {"patternProperties": {}}}}',
    '$.properties.a: the keyword "patternProperties" is not supported'),
  ('{"items": {"uniqueItems": true}}', '$.items: the keyword "uniqueItems" is not supported'),
  ('{"anyOf": [{}, {"if": true}]}', '$.anyOf[1]: the keyword "if" is not supported'),
  ('{"type": "text"}', '$.type: it is a type of JSON, or an array of some'),
  ('{"type": []}', '$.type: it is a type of JSON, or an array of some'),
  ('{"type": ["string", 5]}', '$.type: it is a type of JSON, or an array of some'),
  ('{"enum": []}', '$.enum: it is an array of one at least'),
  ('{"enum": "a"}', '$.enum: it is an array of one at least'),
  ('{"required": ["a", 5]}', '$.required: it is an array of names'),
  ('{"properties": []}', '$.properties: it is an object'),
  ('{"minLength": 1.5}', '$.minLength: it is a number of things'),
  ('{"maxItems": -1}', '$.maxItems: it is a number of things'),
  ('{"minimum": "1"}', '$.minimum: it is a number'),
  ('{"multipleOf": 0}', '$.multipleOf: it is above 0'),
  ('{"pattern": 5, "maxLength": 5}', '$.pattern: it is a text'),
  ('{"pattern": "a"}', '$: beside a pattern there is a maxLength, of 1000 at most'),
  ('{"pattern": "a", "maxLength": 1001}',
    '$: beside a pattern there is a maxLength, of 1000 at most')
) v(schema, expected);

select is(sluice.pattern_fault(pattern), expected, left(pattern, 50))
from (values
  ('(a+)+$', null),
  ('(a)\1', 'of escapes a pattern has \d, \w, \s, \D, \W, \S and those of punctuation'),
  ('\ya', 'of escapes a pattern has \d, \w, \s, \D, \W, \S and those of punctuation'),
  ('(?=a)', 'a pattern has groups, as ( and (?:, without options, and no named classes'),
  ('***:(?i)a', 'a pattern has groups, as ( and (?:, without options, and no named classes'),
  ('[[:alpha:]]', 'a pattern has groups, as ( and (?:, without options, and no named classes'),
  ('(a{20}){20}', 'a pattern repeats by {m,n} no more than 100 times in all'),
  ('a{101}', 'a pattern repeats by {m,n} no more than 100 times in all'),
  ('(a{2,5}){4}b{0,5}', null),
  ('(a', 'the pattern is not valid'),
  (repeat('a', 201), 'a pattern has 200 characters at most')
) v(pattern, expected);

select is(refusal((repeat('{"not": ', 21) || 'true' || repeat('}', 21))::jsonb) ~ 'deeper than 20',
  true, 'a schema that is nested too deep');

select is(sluice.keyword_fault('minimum', '"1"'), 'it is a number', 'a keyword''s value');
select is((error_of('select sluice.refuse_schema(''$.a'', ''it is wrong'')')).message,
  'the schema cannot be checked: $.a: it is wrong', 'in these words');

select * from finish();
rollback;
