begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(4);

select given_speaker() as m \gset
select given_file(array[lines_of_batch(:'m', 1)], 't') as f \gset
select sluice.create_batch(format('{"input_file_id": "file-%s", "endpoint": "/v1/chat/completions",
  "completion_window": "2h", "metadata": {"a": "b"},
  "output_expires_after": {"anchor": "created_at", "seconds": 7200}}', :f),
    't', at(0)) as shown \gset
select (:'shown'::jsonb) ->> 'id' as id \gset
select is(:'shown'::jsonb - 'id',
  jsonb_build_object('object', 'batch', 'endpoint', '/v1/chat/completions', 'errors', null,
    'input_file_id', 'file-' || :f, 'completion_window', '2h', 'status', 'validating',
      'output_file_id', null, 'error_file_id', null,
    'created_at', sluice.unix_time(at(0)), 'in_progress_at', null, 'expires_at',
      sluice.unix_time(at(7200)), 'finalizing_at', null,
    'completed_at', null, 'failed_at', null, 'expired_at', null, 'cancelling_at', null,
      'cancelled_at', null,
    'request_counts', '{"total": 0, "completed": 0, "failed": 0}'::jsonb, 'metadata',
      '{"a": "b"}'::jsonb), 'shown');
select results_eq(format('select output_lifetime, look_at, tenant from sluice.batch '
                         'where ''batch_'' || id = %L', :'id'),
  $$values (interval '2 hours', at(0), 't')$$, 'and kept');
select is((sluice.create_batch(format('{"input_file_id": "file-%s",
  "endpoint": "/v1/chat/completions", "completion_window": "24h",
  "metadata": null}', :f), 't', at(0)))::jsonb -> 'metadata', 'null', 'no metadata is none');
select is((select max(output_lifetime) from sluice.batch where input_file = :f), interval '30 days',
  'outputs stay for 30 days');

select * from finish();
rollback;
