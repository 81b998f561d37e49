begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(10);

-- estimated: of a batch over a file.
create function estimated(p_file bigint) returns json language sql
as $$
  select sluice.estimate_batch(json_build_object('input_file_id', 'file-' || p_file, 'endpoint',
    '/v1/chat/completions', 'completion_window', '24h')::text, null, false, at(0))
$$;
create function refused(p_parts text[]) returns text language sql
as $$
  select (error_of(format('select estimated(%L)', given_file(p_parts)))).message
$$;

select given_speaker() as m, given_speaker('anthropic-messages') as claude \gset
select given_file(array[lines_of_batch(:'m', 3), lines_of_batch(:'m', 2, 'd')]) as file \gset
select is(estimated(:file) ->> 'count', '5', 'of all parts');
select is((select count(*) from sluice.batch where input_file = :file), 0::bigint, 'none begins');
select is((select count(*) from sluice.batch_line l join sluice.batch b on b.id = l.batch
  where b.input_file = :file), 0::bigint, 'and no line is stored');

select is(refused(array[line_of_batch('a', :'m') || E'\n{"custom_id"']),
  'line 2: The line is not valid JSON.', 'the first line at fault');
select is(refused(array[line_of_batch('a', :'m') || E'\n', line_of_batch('a', :'m')]),
  'the custom_id "a" is there more than once', 'also in another part');
select is(refused(array[line_of_batch('a', 'nobody''s')]),
  'line 1: There is no model "nobody''s".', 'a model that is not there');
select is(refused(array[line_of_batch('a', :'claude')]),
  format('line 1: The model "%s" does not take requests of this endpoint.', :'claude'),
  'or speaks another api');
select is((sluice.line_sums('{1}', array[line_of_batch('a', :'m', p_body => '{"max_tokens": 9}')],
  '/v1/chat/completions', 'x')).sums -> 0 ->> 'bounds', '9', 'a line bounds its answer');

-- Anthropic's
select is(sluice.estimate_batch(json_build_object('requests', json_build_array(json_build_object(
    'custom_id', 'a', 'params', json_build_object('model', :'claude', 'max_tokens', 50))))::text,
  null, true, at(0)) ->> 'output_tokens', '50', 'a message batch, too');
select is((error_of('select sluice.estimate_batch(''{"requests": []}'', null, true)')).code,
  'SL004', 'without requests none');

select * from finish();
rollback;
