begin;
\ir ../_helpers.sql
\ir ../_batches.sql
select plan(18);

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

select is((error_of(format($$select sluice.estimate_batch(json_build_object('input_file_id',
  'file-' || %s, 'endpoint', '/v1/chat/completions', 'completion_window', '24h',
  'output_expires_after', 5)::text, null, false)$$, :file))).code, 'SL004',
  'whatever create_batch refuses');

-- Anthropic's
select is(sluice.estimate_batch(json_build_object('requests', json_build_array(json_build_object(
    'custom_id', 'a', 'params', json_build_object('model', :'claude', 'max_tokens', 50))))::text,
  null, true, at(0)) ->> 'output_tokens', '50', 'a message batch, too');
select is((error_of('select sluice.estimate_batch(''{"requests": []}'', null, true)')).code,
  'SL004', 'without requests none');

-- The attack: a file that took minutes in one turn, while other keys' cancels waited.
create function estimated_messages() returns json language sql
as $$ select sluice.estimate_batch(json_build_object('requests', (select json_agg(json_build_object(
    'custom_id', n::text, 'params', json_build_object('max_tokens', 10, 'model',
    (select min(name) from sluice.models where api = 'anthropic-messages'))))
  from generate_series(1, 1500) n))::text, null, true, at(0)) $$;
select is(estimated(:file) ->> 'read', null, 'all of it was read');
create or replace function sluice.estimate_time() returns interval language sql immutable
as $$ select interval '-1 hour' $$;
select results_eq(format('select e ->> ''read'', e ->> ''count'' from estimated(%s) e', :file),
  $$values ('3', '5')$$, 'or its first part, and the rest is taken to be like it');
select given_file(array[lines_of_batch(:'m', 2500)]) as long \gset
select results_eq(format('select e ->> ''read'', e ->> ''count'' from estimated(%s) e', :long),
  $$values ('1000', '2500')$$, 'a thousand lines of a long part');
select results_eq('select e ->> ''read'', e ->> ''count'', e ->> ''output_tokens''
  from estimated_messages() e', $$values ('1000', '1500', '15000')$$, 'of requests, too');
select is(sluice.scaled_sums('[{"name": "a", "tasks": 3, "bytes": 10, "largest": 7}]', 2.5),
  '[{"name": "a", "tasks": 8, "bytes": 25, "largest": 7}]', 'the largest is no larger');
select is((select sum((s ->> 'tasks')::int) from jsonb_array_elements(sluice.scaled_sums(
    (select jsonb_agg(json_build_object('name', 'a', 'tasks', 1)) from generate_series(1, 7)),
    30 / 7.0)) s), 30::bigint, 'and 7 pieces of 30 are 30 together, not 7 x round(4.3)');
select results_eq('select lines, count from sluice.batch_piece(null, array_fill(''{}''::json,
  array[1002]), ''{1,1001}'', 1)', $$values ('{1001,1002}'::int[], 2)$$,
  'batch_piece: the second thousand');

select * from finish();
rollback;
