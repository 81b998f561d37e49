begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(7);

select sluice.begin_file('batch', 'x.jsonl', 't', at(0)) as f \gset
select sluice.append_file(:f, 0, 1, E'{}\n') \g /dev/null
select is(sluice.show_file(:f, 't')::jsonb, null, 'not shown');
select is((error_of(format('select sluice.file_body(%s, ''t'', 0)', :f))).code, 'SL006',
  'not read');
select is(sluice.list_files('t', null, null, 10, false)::jsonb -> 'data', '[]', 'not listed');
select is(sluice.delete_file(:f, 't'), false, 'not deleted');
select throws_ok(format($$select sluice.create_batch('{"endpoint": "/v1/embeddings",
  "completion_window": "24h",
  "input_file_id": "file-%s"}', 't')$$, :f), 'SL006', null, 'in no batch');
select is(sluice.drop_old_files(at(86399)), false, 'it stays for a day');
select is(sluice.drop_old_files(at(86400)), true, 'no longer');

select * from finish();
rollback;
