begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(5);

select given_speaker('anthropic-messages') as m \gset
select given_pages(2) \g /dev/null
select message_batch(:'m', 3, 't') as b \gset
select advanced(:b, 'run') \g /dev/null
select given_ends(:b), advanced(:b, 'write', at(2)),
  sluice.advance_batch(batch_row(:b), at(2)) \g /dev/null
select is((error_of(format('select sluice.batch_results(%s, ''t'', 0)', :b))).code, 'SL006',
  'not while they are being written');
select advanced(:b, 'done', at(2)) \g /dev/null
select is(array(select regexp_count(sluice.batch_results(:b, 't', n), E'\n')
  from generate_series(0, 2) n), array[2, 1, null], 'part after part');
select is(sluice.batch_results(:b, 't', 1),
  E'{"custom_id":"c3","result":{"type":"succeeded","message":{"ok": true}}}\n',
  'in the order of the requests');
select is((error_of(format('select sluice.batch_results(%s, ''u'', 0)', :b))).code, 'SL006',
  'nobody else''s');
select is((error_of('select sluice.batch_results(-1, null, 0)')).code, 'SL006', 'of no batch');

select * from finish();
rollback;
