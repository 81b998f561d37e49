begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(18);

select given_file(array['x'], 't') as f,
  sluice.begin_file('batch_output', 'x', 't', at(0)) as output \gset
select sluice.end_file(:output, '1 day') \g /dev/null
-- refusal: with these keys of a good request replaced.
create function refusal(p_changes jsonb, p_tenant text default 't') returns text language sql
as $$
  select (error_of(format('select sluice.create_batch(%L, %L)',
    jsonb_build_object('completion_window', '24h',
    'endpoint', '/v1/chat/completions', 'input_file_id',
      (select 'file-' || max(id) from sluice.file where purpose = 'batch')) || p_changes,
    p_tenant))).code
$$;
select is(refusal('{}'), null, 'a good one');
select is(refusal('{"endpoint": "/v1/messages"}'), 'SL004',
  'Anthropic''s batches are made otherwise');
select is(refusal('{"endpoint": "/v1/images"}'), 'SL004', 'an endpoint that is not known');
select is(refusal('{"endpoint": null}'), 'SL004', 'none');
select is(refusal('{"input_file_id": null}'), 'SL006', 'no file');
select is(refusal('{"input_file_id": "file-0"}'), 'SL006', 'a file that is not there');
select is(refusal('{"input_file_id": "file-9999999999999999999"}'), 'SL006', 'or cannot be');
select is(refusal(jsonb_build_object('input_file_id', :f::text)), 'SL006', 'or is not called so');
select is(refusal(jsonb_build_object('input_file_id', format('file-%s ', :f))), 'SL006', 'exactly');
select is(refusal('{}', 'u'), 'SL006', 'or is another tenant''s');
select is(refusal(jsonb_build_object('input_file_id', 'file-' || :output)), 'SL004',
  'or was put out');
select is(refusal('{"completion_window": null}'), 'SL004', 'no window');
select is(refusal('{"completion_window": "1 year"}'), 'SL004', 'too long a one');
select is(refusal(jsonb_build_object('completion_window', repeat(' ', 98) || '24h')), 'SL004',
  'one of more than 100 characters, which lists would show');
select is(refusal('{"metadata": {"a": 1}}'), 'SL004', 'metadata of other types');
select is(refusal('{"output_expires_after": 7200}'), 'SL004', 'a lifetime without its anchor');
select is_empty($$select b from unnest(array['[]', '"x"', 'null', '7']) b
  where (error_of(format('select sluice.create_batch(%L, null)',
    b))).code is distinct from 'SL004'$$, 'what is no object');
select is((error_of('select sluice.create_batch(''{'', null)')).code, '22P02', 'what is no JSON');

select * from finish();
rollback;
