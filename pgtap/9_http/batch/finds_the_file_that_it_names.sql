begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(6);

select given_file(array['{}'], 't') as file \gset
create function input_of(p_endpoint text, p_file text, p_tenant text) returns bigint language sql
as $$
  select (sluice.batch_input(jsonb_build_object('endpoint', p_endpoint, 'input_file_id',
    'file-' || p_file), p_tenant)).id
$$;
select is(input_of('/v1/embeddings', :'file', 't'), :file::bigint, 'its number');
select is((error_of(format('select input_of(''/v1/embeddings'', %L, ''u'')', :'file'))).code,
  'SL006', 'another tenant''s is not there');
select is((error_of(format('select input_of(''/v1/messages'', %L, ''t'')', :'file'))).code,
  'SL004', 'Anthropic''s endpoint has no files');

select is(sluice.message_line('{"custom_id": "a", "params": {"b":
  1e400}}')::jsonb - 'body', '{"custom_id": "a", "method": "POST", "url": "/v1/messages"}',
  'a request of its API as a line');
select doesnt_match(sluice.message_line('{"custom_id": "a", "params": {"b":
  1e400}}'), E'\n', 'which is one line');
select is(cardinality(sluice.sent_requests('{"requests": [1, 2]}')), 2, 'requests by themselves');

select * from finish();
rollback;
