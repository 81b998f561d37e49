begin;
\ir ../../_helpers.sql
select plan(15);

select is(sluice.task_of_body('{"priority": "hot"}', null, null), '{"priority": 50}', 'hot');
select is(sluice.task_of_body('{"priority": "cold"}', null, null), '{"priority": 0}', 'cold');
select is(sluice.task_of_body('{"priority": 7}', null, null), '{"priority": 7}', 'a number');
select is(sluice.task_of_body('{"request": {"b": 1e400,  "a": [1.10]}}', null, null) ->> 'request',
  '{"b": 1e400,  "a": [1.10]}', 'an object is a request, verbatim');
select is(sluice.task_of_body('{"request": "{\"a\" : 1}"}', null, null) ->> 'request', '{"a" : 1}',
  'a text too');
select is(sluice.task_of_body('{"prompt": "x"}', 't', 'k'),
  '{"prompt": "x", "tenant": "t", "idempotency_key": "k"}',
  'the key''s tenant and the header''s key');
select is(sluice.task_of_body('{"tenant": "t", "idempotency_key": "k"}', 't', 'k'),
  '{"tenant": "t", "idempotency_key": "k"}', 'said twice');
select throws_ok($$select sluice.task_of_body('{"tenant": "u"}', 't', null)$$, 'SL009', null,
  'another tenant');
select throws_ok($$select sluice.task_of_body('{"idempotency_key": "l"}', null, 'k')$$, 'SL004',
  null, 'another key');
select is(sluice.task_of_body('[1]', 't', 'k'), '[1]', 'no object: submit_many refuses it');
select is(sluice.task_of_body('{"api": "openai-chat", "request": {"model": "nobody"}}', null, null),
  '{"model": "nobody", "request": "{\"model\": \"nobody\"}"}',
    'a completion''s model is its request''s');
select is(sluice.task_of_body('{"prompt": "x"}', null, null, '00-a'),
  '{"prompt": "x", "traceparent": "00-a"}', 'the request''s traceparent');
select is(sluice.task_of_body('{"traceparent": "00-b"}', null, null, '00-a'),
  '{"traceparent": "00-b"}', 'its own wins');
select is(sluice.task_of_body('[1]', null, null, '00-a'), '[1]', 'and no object has none');
select given_model() as m \gset
select throws_ok(format($$select
  sluice.task_of_body('{"api": "openai-chat", "request": {"model": "%s"}}', null, null)$$, :'m'),
  'SL001', null, 'which must speak the api');

select * from finish();
rollback;
