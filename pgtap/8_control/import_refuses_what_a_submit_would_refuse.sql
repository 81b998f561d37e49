begin;
\ir ../_helpers.sql
select plan(36);

-- refusal: of a line with these values, behind one without fault.
create function refusal(p_values jsonb) returns text language sql
as $$
  select (error_of(format('select sluice.import_tasks(%L, ''x'', at(0))', jsonb_build_array(
    '{"id": 1, "status": "failed", "tenant": "t", "created_at": "2039-12-31",
      "finished_at": "2039-12-31"}'::jsonb, '{"id": 2, "status": "solved", "tenant": "t", "model":
      "m", "prompt": "x", "created_at": "2039-12-31", "finished_at": "2039-12-31"}'::jsonb
      || p_values)))).message
$$;
select is(refusal('{}'), null, 'without them it is taken');
select is(refusal(v.v::jsonb), 'task 2: ' || v.message, v.v)
from (values
  ('{"finished_at": "infinity"}',
    'finished_at infinity is not finite, and no more than a minute in the future'),
  ('{"finished_at": "294276-12-31"}',
    'finished_at 294276-12-31 is not finite, and no more than a minute in the future'),
  ('{"created_at": "-infinity"}',
    'created_at -infinity is not finite, and no more than a minute in the future'),
  ('{"started_at": "2040-01-01 00:02"}',
    'started_at 2040-01-01 00:02 is not finite, and no more than a minute in the future'),
  ('{"queued_at": "infinity"}',
    'queued_at infinity is not finite, and no more than a minute in the future'),
  ('{"run_at": "infinity"}', 'run_at infinity is not finite'),
  ('{"deadline": "-infinity"}', 'deadline -infinity is not finite'),
  ('{"cost": "NaN"}', 'cost NaN is not 0 to 1,000,000,000, with 30 decimals at most'),
  ('{"cost": "Infinity"}', 'cost Infinity is not 0 to 1,000,000,000, with 30 decimals at most'),
  ('{"cost": -1}', 'cost -1 is not 0 to 1,000,000,000, with 30 decimals at most'),
  ('{"cost": 1e10}', 'cost 10000000000 is not 0 to 1,000,000,000, with 30 decimals at most'),
  ('{"cost": "1e-31"}', 'cost 1e-31 is not 0 to 1,000,000,000, with 30 decimals at most'),
  ('{"input_tokens": -5}', 'input_tokens -5 is not 0 to 2147483647'),
  ('{"output_tokens": -1}', 'output_tokens -1 is not 0 to 2147483647'),
  ('{"attempts": -1}', 'attempts -1 is not 0 to 32767'),
  ('{"priority": 101}', 'priority 101 is not between -100 and 100'),
  ('{"max_attempts": 0}', 'max_attempts 0 is not between 1 and 100'),
  ('{"max_output_tokens": 0}', 'max_output_tokens 0 is not positive'),
  ('{"metadata": [1]}', 'metadata is a JSON array, not an object'),
  ('{"request": "{}"}', 'exactly one of prompt and request must be given'),
  ('{"tenant": ""}', 'tenant must have 1 to 200 characters'),
  ('{"traceparent": "a\r\nb"}',
    'traceparent must have 1 to 200 printable ASCII characters without spaces'),
  ('{"affinity_key": ""}', 'affinity_key must have 1 to 200 characters'),
  ('{"status": "evil"}', 'has the status "evil"')) v(v, message);
select is(refusal(jsonb_build_object(v.field, repeat('x', 5000))), 'task 2: ' || v.message, v.field)
from (values ('tenant', 'tenant must have 1 to 200 characters'),
  ('model', format('model %s is not of 200 characters at most', repeat('x', 100))),
  ('route', format('route %s is not of 200 characters at most', repeat('x', 100))),
  ('error_code', format('error_code %s is not of 200 characters at most', repeat('x', 100))))
  v(field, message);
select is(refusal(jsonb_build_object('metadata', jsonb_build_object('a', repeat('x', 70000)))),
  'task 2: metadata has more than 64 KiB, or a number of more than 400 digits', 'long metadata');
select matches(refusal('{"attempts": 1000000000}'), 'task 2: attempts 1000000000 is not ',
  'a value beyond its type');
select is(refusal('{"status": "processing", "priority": 200}'),
  'task 2: priority 200 is not between -100 and 100', 'the place of an unfinished one, too');
select is(refusal('{"status": "queued", "created_at": "infinity"}'), 'created_at is infinite',
  'an unfinished one that was never submitted');
select is(sluice.import_waiting('[{"id": 1, "status": "failed"}]', 'x', at(0)), '{}'::bigint[],
  'import_waiting: what has ended does not wait');
select lives_ok($$select sluice.check_ends('[{"id": 1, "status": "queued"}]', at(0))$$,
  'check_ends: of those that have ended');
select is((error_of($$select sluice.check_end('{"tenant": "t", "prompt": "long"}', 3,
  at(0))$$)).code, 'SL007', 'check_end: the bytes of a submit');

select * from finish();
rollback;
