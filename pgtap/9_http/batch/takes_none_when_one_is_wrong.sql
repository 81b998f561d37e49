begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(10);

select given_speaker('anthropic-messages') as m, given_speaker() as chat \gset
-- refusal: of good requests and then this one.
create function refusal(p_request text, p_good int, p_model text) returns text language sql
as $$
  select r.code || ' ' || r.message
  from error_of(format('select sluice.create_message_batch(%L, null, at(0))', '{"requests": ['
    || (select string_agg(format('{"custom_id": "g%s", "params": {"model": "%s"}}, ', n, p_model),
      '') from generate_series(1, p_good) n)
    || p_request || ']}')) r
$$;
select is(refusal('1', 2, :'m'), 'SL004 request 3: custom_id is a string of 1 to 512 characters.',
  'no object');
select is(refusal('{"params": {}}', 1, :'m'),
  'SL004 request 2: custom_id is a string of 1 to 512 characters.', 'without an id');
select is(refusal('{"custom_id": "x"}', 1, :'m'), 'SL004 request 2: The body is a JSON object.',
  'without params');
select is(refusal('{"custom_id": "x", "params": {}}', 1, :'m'),
  'SL004 request 2: The body names a model.', 'without a model');
select is(refusal('{"custom_id": "x", "params": {"model": "nobody"}}', 1, :'m'),
  'SL004 request 2: There is no model "nobody".', 'for a model that is not there');
select is(refusal(format('{"custom_id": "x", "params": {"model": "%s"}}', :'chat'), 1, :'m'),
  format('SL004 request 2: The model "%s" does not take requests of this endpoint.', :'chat'),
    'for another api''s');
select is(refusal(format('{"custom_id": "x", "params": {"model": "%s", "stream": true}}',
  :'m'), 1, :'m'), 'SL004 request 2: A batch does not stream.', 'that streams');
select is(refusal(format('{"custom_id": "g1500", "params": {"model": "%s"}}', :'m'), 2000, :'m'),
  'SL004 request 2001: The custom_id "g1500" is there more than once.',
    'with the id of one long before');
select is((select count(*) from sluice.file where filename = 'message_batch.jsonl'
  and created_at = at(0)), 0::bigint, 'no file is left');
select is((select count(*) from sluice.batch where created_at = at(0)), 0::bigint, 'nor a batch');

select * from finish();
rollback;
