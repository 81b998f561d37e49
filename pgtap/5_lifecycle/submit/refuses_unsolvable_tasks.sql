begin;
\ir ../../_helpers.sql
select plan(22);

select given_model() as m \gset
create temp table refused on commit drop as
select *, format('select sluice.submit(%s, model => %L)', args, :'m') as call
from (values
  ('SL004', 'neither prompt nor request', 'null'),
  ('SL004', 'both of them', $$'x', request => '{}'$$),
  ('SL004', 'a request that is not JSON', $$request => '{'$$),
  ('SL004', 'a request that is no object', $$request => '[1]'$$),
  ('SL004', 'a request that is 100,000 levels deep', $$request => repeat('[', 100000)$$),
  ('SL004', 'priority 101', $$'x', priority => 101$$),
  ('SL004', 'priority -101', $$'x', priority => -101$$),
  ('SL004', 'no priority', $$'x', priority => null$$),
  ('SL004', 'max_attempts 0', $$'x', max_attempts => 0$$),
  ('SL004', 'max_attempts 101', $$'x', max_attempts => 101$$),
  ('SL004', 'max_output_tokens 0', $$'x', max_output_tokens => 0$$),
  ('SL004', 'metadata that is no object', $$'x', metadata => '[]'$$),
  ('SL004', 'an empty tenant', $$'x', tenant => ''$$),
  ('SL004', 'no tenant', $$'x', tenant => null$$),
  ('SL004', 'a tenant of 201 characters', $$'x', tenant => repeat('t', 201)$$),
  ('SL004', 'an empty idempotency key', $$'x', idempotency_key => ''$$),
  ('SL004', 'an idempotency key of 1,001 characters', $$'x',
    idempotency_key => repeat('k', 1001)$$)) v(code, what, args);
select is((error_of(call)).code, code, what || ' is ' || code) from refused;
select ok(bool_and((error_of(call)).hint <> ''), 'each with a hint') from refused;
select is((error_of($$select sluice.submit('x', model => 'nobody')$$)).code, 'SL001',
  'an unknown model is SL001');
select is((error_of($$select sluice.submit('x', model => null)$$)).code, 'SL001',
  'no model is SL001');
select isnt((error_of($$select sluice.submit('x', model => 'nobody')$$)).hint, '', 'with a hint');
select is_empty(format('select * from sluice.task where model = %s', id_of(:'m')),
  'nothing was stored');

select * from finish();
rollback;
