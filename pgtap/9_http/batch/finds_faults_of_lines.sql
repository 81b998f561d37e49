begin;
\ir ../../_helpers.sql
select plan(19);

create function read(p_changes text) returns text language sql
as $$
  select concat_ws(' ', custom_id, model, fault, param) from sluice.read_batch_line(
    (('{"custom_id": "a", "method": "POST", "url": "/v1/responses", "body": {"model": "m"}}'::jsonb
      || p_changes::jsonb))::text,
    '/v1/responses', null)
$$;
select is(read('{}'), 'a m', 'nothing');
select is(read('{"custom_id": null}'), 'm invalid_request custom_id', 'no id');
select is(read('{"custom_id": 7}'), '7 m invalid_request custom_id', 'an id of another type');
select is(read('{"custom_id": ""}'), ' m invalid_request custom_id', 'an empty id');
select is(read(jsonb_build_object('custom_id', repeat('x', 512))::text), repeat('x', 512) || ' m',
  'the longest id');
select is(read(jsonb_build_object('custom_id', repeat('x', 513))::text),
  repeat('x', 513) || ' m invalid_request custom_id', 'too long');
select is(read('{"method": "GET"}'), 'a m invalid_request method', 'another method');
select is(read('{"url": "/v1/embeddings"}'), 'a m url_mismatch url', 'another endpoint');
select is(read('{"body": "x"}'), 'a invalid_request body', 'no body');
select is(read('{"body": {}}'), 'a invalid_request body.model', 'no model');
select is(read('{"body": {"model": 7}}'), 'a 7 invalid_request body.model',
  'a model of another type');
select is(read('{"body": {"model": "m", "stream": true}}'), 'a m invalid_request body.stream',
  'a stream');
select is(read('{"body": {"model": "m", "stream": false}}'), 'a m', 'none');
select is(read('{"affinity_key": "chat-17"}'), 'a m', 'an affinity key');
select is(read('{"affinity_key": 17}'), 'a m invalid_request affinity_key', 'one that is no text');
select is(read(jsonb_build_object('affinity_key', repeat('x', 201))::text),
  'a m invalid_request affinity_key', 'one that is too long');
select is_empty($$select l
  from unnest(array['', '{', '{}{}', '[]', '"x"', '7', 'null', '{"custom_id": "\u0000"}',
    '{"custom_id": "\ud800"}', '{"a": 01}', '{"a": 1e200000}', repeat('[', 100000),
      repeat('{"a":', 10000) || '1']) l,
    sluice.read_batch_line(l, '/v1/responses', null) r
  where r.fault is distinct from 'invalid_json_line' or r.message is null or r.param is not null$$,
    'no JSON object at all');

select is(model, 'd', 'the default is for lines without a model') from sluice.read_batch_line(
  '{"custom_id": "a", "method": "POST", "url": "/v1/responses", "body": {}}', '/v1/responses', 'd');
select is(param, 'body.model', 'and not for others') from sluice.read_batch_line(
  '{"custom_id": "a", "method": "POST", "url": "/v1/responses", "body": {"model": 7}}',
    '/v1/responses', 'd');

select * from finish();
rollback;
