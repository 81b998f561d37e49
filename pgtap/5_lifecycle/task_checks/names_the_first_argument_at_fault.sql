begin;
\ir ../../_helpers.sql
select plan(16);

select is(sluice.fault(prompt, request, priority, max_attempts, max_output_tokens, metadata::jsonb,
  tenant, key, trace, case fault when 'deadline' then at(0) end, 10, at(0)), fault, why)
from (values
  ('x', null, 0, null, null, '{}', 't', null, '00-a-b-01', null, 'a good one'),
  (null, null, 0, null, null, null, 't', null, null, 'prompt', 'neither prompt nor request'),
  ('x', '{}', 0, null, null, null, 't', null, null, 'prompt', 'both'),
  ('', null, 0, null, null, null, 't', null, null, 'prompt', 'an empty prompt'),
  ('x', null, 0, null, null, null, 't', null, null, 'deadline', 'a deadline that is past'),
  ('12345678901', null, 0, null, null, null, 't', null, null, 'bytes', 'too large'),
  ('x', null, 101, null, null, null, 't', null, null, 'priority', 'too urgent'),
  ('x', null, null, null, null, null, 't', null, null, 'priority', 'of no priority'),
  ('x', null, 0, 101, null, null, 't', null, null, 'max_attempts', 'too many attempts'),
  ('x', null, 0, null, 0, null, 't', null, null, 'max_output_tokens', 'no output'),
  ('x', null, 0, null, null, '[]', 't', null, null, 'metadata', 'a list'),
  ('x', null, 0, null, null, jsonb_build_object('a', repeat('x', 66000))::text, 't', null, null,
    'metadata', 'more than 64 KiB'),
  ('x', null, 0, null, null, null, null, null, null, 'tenant', 'nobody''s'),
  ('x', null, 0, null, null, null, 't', '', null, 'idempotency_key', 'an empty key'),
  ('x', null, 0, null, null, null, 't', null, E'a\nb', 'traceparent', 'a header of two lines'),
  ('x', null, -101, 0, null, null, 't', '', null, 'priority', 'three faults')
) v(prompt, request, priority, max_attempts, max_output_tokens, metadata, tenant, key, trace,
  fault, why);

select * from finish();
rollback;
