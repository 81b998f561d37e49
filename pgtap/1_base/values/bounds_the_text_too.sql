begin;
\ir ../../_helpers.sql
select plan(13);

select is(sluice.is_small_json(j::jsonb, 65536), small, why)
from (values
  ('{"team": "search", "n": -12.5e3, "d": 4.9406564584124654e-324, "e": 1.7976931348623157e308, '
   '"l": [null, true, []]}', true,
    'an everyday one'),
  (format('{"a": "%s"}', repeat('x', 65000)), true, 'a long one'),
  (format('{"a": "%s"}', repeat('x', 65536)), false, 'one that is too long'),
  (format('{"a": "%s"}', repeat('\u0001', 30000)), false, 'one that is too long as text alone'),
  ('{"a": 1e131071}', false, 'a number with many digits before the point'),
  ('{"a": {"b": [0, [-1e131071]]}}', false, 'also deep down, and negative'),
  ('{"a": 1e-16383}', false, 'a number with many digits after it'),
  ('{"a": 0e-16383}', false, 'also of nothing'),
  (format('{"a": [%s]}', repeat('1e399, ', 300) || 0), false, 'many that are long together'),
  (null, null, 'none')
) v(j, small, why);

select given_model() as m \gset
-- The attack: 18 kB that were answered with 262 MB.
select is((error_of(format('select sluice.submit(''x'', %L, metadata => format(''{"a": [%%s0]}'', '
                           'repeat(''1e131071,'', 1999))::jsonb)',
  :'m'))).code, 'SL004', 'submit refuses it');
select is((error_of(format('select sluice.submit_many(format(''[{"prompt": "x", "model": %%s,
  "metadata": {"a": [%%s0]}}]'',
  to_json(%L::text), repeat(''1e131071,'', 1999))::jsonb)', :'m'))).message,
  'task 1: metadata has more than 64 KiB, or a number of more than 400 digits', 'submit_many, too');
select is((select code
  from sluice.submit_each(array[format('{"prompt": "x", "model": %s, "metadata": {"a": [%s0]}}',
  to_json(:'m'::text), repeat('1e131071,', 1999))], '{null}', '{null}')), 'SL004',
    'and submit_each');

select * from finish();
rollback;
