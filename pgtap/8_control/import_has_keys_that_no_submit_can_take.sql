begin;
\ir ../_helpers.sql
select plan(9);

select given_model() as m \gset
select given_tenant('sluice_submitter') as t \gset
set local role :"t";
select code, message from error_of(format($$select sluice.submit('x', %L, tenant => %L,
  idempotency_key => 'sluice import here 8')$$, :'m', :'t')) \gset
select is((error_of(format('select sluice.submit_many(%L)', jsonb_build_array(
  jsonb_build_object('prompt', 'x', 'model', :'m', 'tenant', :'t', 'idempotency_key',
    'sluice import here 8'))))).message,
  'task 1: an idempotency_key that begins with "sluice import " is for administrators',
  'submit_many refuses it');
reset role;
select is(:'code'::text, 'SL004', 'so does submit');
select matches(:'message'::text, 'is for administrators', 'and says why');

select jsonb_build_object('id', 8, 'status', 'queued', 'model', :'m', 'tenant', :'t', 'prompt',
  'own') as line \gset
select is(cardinality(array(select sluice.import_tasks(jsonb_build_array(:'line'::jsonb), 'here'))),
  1, 'so the tenant''s task arrives');
select set_config('sluice.api_key', 'k', true) \g /dev/null
select is((error_of(format($$select sluice.submit('x', %L, idempotency_key =>
  'sluice import here 9')$$, :'m'))).code, 'SL004', 'nor can a key of the HTTP front');
select set_config('sluice.api_key', '', true) \g /dev/null
-- The front says in an argument by which key a task came.
create function code_of(p_key text, p_header text, p_body jsonb) returns text language sql
as $$ select coalesce(max(e.code), 'ok') from sluice.submit_each(array[p_body::text],
  array[null::text], array[p_header], null, array[p_key]) e $$;
select is(code_of('k', null, jsonb_build_object('prompt', 'x', 'model', :'m', 'idempotency_key',
  'sluice import here 9')), 'SL004', 'nor one that brings it in the body');
select is(code_of('k', 'sluice import here 9', jsonb_build_object('prompt', 'x', 'model', :'m')),
  'SL004', 'or in the header');
select is((error_of(format('select * from sluice.submit_array(%L, null, %L, null, %L)',
  format('[{"prompt": "x", "model": "%s"}]', :'m'), 'sluice import here 9', 'k'))).message,
  'task 1: an idempotency_key that begins with "sluice import " is for administrators',
  'or with an array');
select lives_ok(format($$select sluice.submit('x', %L, idempotency_key => 'sluice importer')$$,
  :'m'), 'other keys are free');

select * from finish();
rollback;
