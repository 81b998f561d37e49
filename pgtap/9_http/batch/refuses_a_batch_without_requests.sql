begin;
\ir ../../_helpers.sql
select plan(3);

select is_empty($$select b from unnest(array['{}', '[]', '"x"', 'null', '{"requests": null}',
  '{"requests": {}}', '{"requests": []}']) b
  where (error_of(format('select sluice.create_message_batch(%L, null)',
    b))).code is distinct from 'SL004'$$, 'one at least');
select is((error_of(format('select sluice.create_message_batch(%L, null)',
    '{"requests": [' || repeat('1,', sluice.batch_lines_max()) || '1]}'))).code, 'SL004',
      'and not too many');
select is((error_of('select sluice.create_message_batch(''{'', null)')).code, '22P02',
  'what is no JSON');

select * from finish();
rollback;
