begin;
\ir ../../_helpers.sql
select plan(16);

select is((plain is true)::text || ' ' || coalesce(fault, 'no fault'), expected, why)
from (
  select why, expected,
    sluice.is_plain(octet_length(coalesce(prompt, request)), request, priority, max_attempts,
      max_output_tokens, metadata::jsonb, key, trace, deadline, 10) as plain,
    sluice.fault(prompt, request, priority, max_attempts, max_output_tokens, metadata::jsonb,
      tenant, key, trace, deadline, 10, at(0)) as fault
  from (values
    ('x', null, 0, null, null, null, 'default', null, null, 'true no fault', 'a prompt alone'),
    ('1234567890', null, -100, null, null, null, 't', null, null, 'true no fault',
      'a priority at its bound'),
    ('x', null, 100, null, null, null, repeat('t', 200), null, null, 'true no fault',
      'at its other bound'),
    ('x', null, 0, 3, null, null, 't', null, null, 'false no fault',
      'whatever else is given, fault looks at it: attempts'),
    ('x', null, 0, null, 5, null, 't', null, null, 'false no fault', 'tokens'),
    ('x', null, 0, null, null, '{}', 't', null, null, 'false no fault', 'metadata'),
    ('x', null, 0, null, null, null, 't', 'k', null, 'false no fault', 'a key'),
    (null, '{}', 0, null, null, null, 't', null, null, 'false no fault', 'a request'),
    (null, null, 0, null, null, null, 't', null, null, 'false prompt', 'nothing to ask'),
    ('12345678901', null, 0, null, null, null, 't', null, null, 'false bytes', 'too large'),
    ('x', null, 101, null, null, null, 't', null, null, 'false priority', 'too urgent'),
    ('x', null, null, null, null, null, 't', null, null, 'false priority', 'of no priority'),
    ('x', null, -2147483648, null, null, null, 't', null, null, 'false priority',
      'of the least number there is'),
    ('', null, 0, null, null, null, 't', null, null, 'false prompt', 'an empty prompt'),
    ('x', null, 0, null, null, null, 't', null, null, 'false no fault', 'a deadline'),
    ('x', null, 0, null, null, null, 't', null, null, 'false deadline', 'a deadline that is past')
  ) v(prompt, request, priority, max_attempts, max_output_tokens, metadata, tenant, key, trace,
    expected, why)
  cross join lateral (select case why when 'a deadline' then at(1) when 'a deadline that is past'
    then at(0) end as deadline) d) o;

select * from finish();
rollback;
