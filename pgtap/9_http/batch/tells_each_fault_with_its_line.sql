-- sluice.validate_batch
begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(5);

select given_speaker() as m, given_speaker('openai-embeddings') as other \gset
select batch_over(given_file(array[
  concat_ws(E'\n', line_of_batch('a', :'m'), '{', line_of_batch('a', :'m'), '',
    line_of_batch('b', 'nobody')) || E'\n',
  concat_ws(E'\r\n', line_of_batch('c', :'other'), line_of_batch('a', :'m'), '[1]',
    line_of_batch('d', :'m', '/v1/responses'),
    '{"custom_id": "\u0000"}', line_of_batch('e', :'m'))])) as b \gset
select is(advanced(:b, 'done'), 'done', 'it ends');
select results_eq(format($$select e ->> 'line', e ->> 'code', e ->> 'param' from sluice.batch,
  jsonb_array_elements(errors) e
    where id = %s$$, :b),
  $$values ('2', 'invalid_json_line', null), ('3', 'duplicate_custom_id', 'custom_id'),
    ('5', 'model_not_found', 'body.model'),
    ('6', 'model_not_found', 'body.model'), ('7', 'duplicate_custom_id', 'custom_id'),
      ('8', 'invalid_json_line', null),
    ('9', 'url_mismatch', 'url'), ('10', 'invalid_json_line', null)$$, 'with all of them');
select is((select count(*) from sluice.batch, jsonb_array_elements(errors) e where id = :b
  and e ->> 'message' is null), 0::bigint, 'each says what it is');
select is(sluice.show_batch(:b, null, false) ->> 'status', 'failed', 'it has failed');
select is_empty(format('select from sluice.task where batch_id = %s and created_at >= at(0)', :b),
  'and submitted nothing');

select * from finish();
rollback;
