begin;
\ir ../_helpers.sql
select plan(19);

select given_model() as m, given_model() as other \gset
insert into sluice.payload_schema (target, version, schema) values
  (:'m', '1', null),
  (:'m', '2', '{"type": "object", "required": ["messages"], "properties": {"messages": {"items":
    {"properties": {"role": {"enum": ["user"]}}}}}}'),
  (:'m', 'text', '{"type": "string", "maxLength": 5}');

create function submitted(p_model text, p_version text, p_prompt text, p_request text,
  p_key text default null) returns bigint language sql
as $$ select sluice.submit(p_prompt, p_model, request => p_request, schema_version => p_version,
  idempotency_key => p_key, p_now => at(0)) $$;

select ok(submitted(:'m', '1', null, '{"any": 1}') > 0, 'without a schema nothing is checked');
select ok(submitted(:'m', '2', null, '{"messages": [{"role": "user"}]}', 'k') > 0, 'as it says');
select ok(submitted(:'m', 'text', 'short', null) > 0, 'a prompt is a text');
select is((error_of(format('select submitted(%L, ''2'', null, %L)', :'m',
    '{"messages": [{"role": "user"}, {"role": "x"}]}'))).message,
  'the payload is not of schema version "2": $.messages[1].role is none of the enum',
  'the place of the first fault');
select is((error_of(format('select submitted(%L, ''text'', ''longer'', null)', :'m'))).message,
  'the payload is not of schema version "text": $ is longer than 5', 'of a prompt, too');
select is((error_of(format('select submitted(%L, ''3'', ''x'', null)', :'m'))).hint,
  'It has 1, 2, text: see sluice.payload_schema.', 'a version that there is not');
select is((error_of(format('select submitted(%L, ''1'', ''x'', null)', :'other'))).code, 'SL004',
  'nor is another model''s');
select matches((error_of(format('select submitted(%L, ''2'', null, %L)', :'m',
  '{"messages": "\u0000"}'))).message, 'cannot be read', 'NUL');

-- many
create function many(variadic p_tasks jsonb[]) returns bigint[] language sql
as $$ select array_agg(s) from sluice.submit_many(to_jsonb(p_tasks), at(0)) s $$;
select is(cardinality(many(jsonb_build_object('model', :'m', 'schema_version', '1', 'prompt', 'x'),
  jsonb_build_object('model', :'m', 'prompt', 'y'))), 2, 'with and without one');
select is((error_of(format('select many(%L, %L)', jsonb_build_object('model', :'m', 'prompt', 'x'),
    jsonb_build_object('model', :'m', 'schema_version', 'text', 'prompt', 'longer')))).message,
  'task 2: the payload is not of schema version "text": $ is longer than 5',
  'with the number of the first at fault');
update sluice.payload_schema set schema = 'false' where target = :'m' and version = '2';
select lives_ok(format('select submitted(%L, ''2'', null, ''{"messages": [{"role": "user"}]}'',
  ''k'')', :'m'), 'a repeat finds its task whatever the schema is now');
select is(cardinality(many(jsonb_build_object('model', :'m', 'schema_version', '2', 'request',
  '{"messages": [{"role": "user"}]}', 'idempotency_key', 'k'))), 1, 'of many, too');
select is((error_of(format('select submitted(%L, ''1'', ''x'', null, ''k'')', :'m'))).code, 'SL008',
  'another version is other content');

select is((error_of(format('select sluice.check_payload(%L, ''9'', ''x'', null, 5)', :'m'))).code,
  'SL004', 'one payload');
select is((error_of(format('select sluice.check_payloads(array[sluice.draft_of(
    jsonb_populate_record(null::sluice.task_draft, %L))])', jsonb_build_object('model', :'m',
    'schema_version', '9')))).message, format('task 1: "%s" has no schema version "9"', :'m'),
  'or many');

-- The attack: many payloads, each just within its own bound.
select is(sluice.check_payload(:'m', 'text', 'x', null, 5), 4, 'one value is one step');
create function checked(p_model text, p_steps int) returns void language sql
as $$ select sluice.check_payloads(array_fill(sluice.draft_of(jsonb_populate_record(
  null::sluice.task_draft, jsonb_build_object('model', p_model, 'schema_version', 'text', 'prompt',
  'x'))), array[4]), p_steps) $$;
select lives_ok(format('select checked(%L, 4)', :'m'), 'four of one step are four');
select is((error_of(format('select checked(%L, 3)', :'m'))).message,
  'task 4: the payloads of one call take more than 20000 steps to check', 'no more');

-- A declared union: 428 bytes a task, which took 0.2 s each, and 3,000 of them ten minutes.
insert into sluice.payload_schema (target, version, schema)
select :'m', 'union', jsonb_build_object('properties', jsonb_build_object('x', jsonb_build_object(
  'items', jsonb_build_object('anyOf',
    jsonb_agg(jsonb_build_object('type', 'object', 'required', jsonb_build_array('t' || n)))))))
from generate_series(1, 40) n;
create function unions(p_model text, p_count int) returns bigint language sql
as $$ select count(*) from sluice.submit_many((select jsonb_agg(jsonb_build_object('model', p_model,
    'schema_version', 'union', 'request', format('{"messages": [], "x": [%s]}',
    array_to_string(array_fill('{"t40": ""}'::text, array[30]), ',')))) from generate_series(1,
    p_count)), at(0)) s $$;
select is((error_of(format('select unions(%L, 150)', :'m'))).message,
  'task 17: the payloads of one call take more than 20000 steps to check', 'the attack');

select * from finish();
rollback;
