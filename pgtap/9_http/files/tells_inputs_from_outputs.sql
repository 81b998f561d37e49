begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(4);

select given_file(array['x'], 't') as input,
  sluice.begin_file('batch_output', 'y', 't', at(0)) as output \gset
select sluice.end_file(:output, '1 day') \g /dev/null
select is(sluice.list_files('t', 'batch', null, 9, false) #>> '{data,0,id}', 'file-' || :input,
  'one of them');
select is(sluice.list_files('t', 'batch_output', null, 9, false) #>> '{data,0,id}',
  'file-' || :output, 'the other');
select is(json_array_length(sluice.list_files('t', null, null, 9, false) -> 'data'), 2, 'both');
select is(sluice.list_files('t', 'vision', null, 9, false)::jsonb,
  '{"object": "list", "data": [], "first_id": null, "last_id": null, "has_more": false}',
    'of no purpose: none');

select * from finish();
rollback;
