begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(4);

select given_speaker() as m \gset
select given_batch(:'m', 1, 't') as his, given_batch(:'m') as nobodys \gset
select is(sluice.list_batches('t', false, null, null, 9)::jsonb - 'data',
  jsonb_build_object('object', 'list', 'first_id', 'batch_' || :his, 'last_id', 'batch_' || :his,
    'has_more', false), 'his');
select is(sluice.list_batches('t', false, null, null, 9)::jsonb #> '{data,0}',
  sluice.show_batch(:his, 't', false)::jsonb, 'as it is shown alone');
select is(sluice.list_batches(null, false, null, null, 2) ->> 'last_id', 'batch_' || :his,
  'to who may see all: all');
select is(sluice.list_batches('u', false, null, null, 9)::jsonb -> 'data', '[]',
  'to another one: none');

select * from finish();
rollback;
