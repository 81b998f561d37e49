begin;
\ir ../_helpers.sql
select plan(12);

select is(sluice.fault(prompt, request, priority, max_attempts, max_output_tokens, metadata::jsonb, tenant, key, 10), fault, why)
from (values
  ('x', null, 0, null, null, null, 't', null, null, 'a good one'),
  (null, null, 0, null, null, null, 't', null, 'prompt', 'neither prompt nor request'),
  ('x', '{}', 0, null, null, null, 't', null, 'prompt', 'both'),
  ('12345678901', null, 0, null, null, null, 't', null, 'bytes', 'too large'),
  ('x', null, 101, null, null, null, 't', null, 'priority', 'too urgent'),
  ('x', null, null, null, null, null, 't', null, 'priority', 'of no priority'),
  ('x', null, 0, 101, null, null, 't', null, 'max_attempts', 'too many attempts'),
  ('x', null, 0, null, 0, null, 't', null, 'max_output_tokens', 'no output'),
  ('x', null, 0, null, null, '[]', 't', null, 'metadata', 'a list'),
  ('x', null, 0, null, null, null, null, null, 'tenant', 'nobody''s'),
  ('x', null, 0, null, null, null, 't', '', 'idempotency_key', 'an empty key'),
  ('x', null, -101, 0, null, null, 't', '', 'priority', 'three faults')
) v(prompt, request, priority, max_attempts, max_output_tokens, metadata, tenant, key, fault, why);

select * from finish();
rollback;
