begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(3);

select is(sluice.batch_object(batch_as(jsonb_build_object('id', 7, 'input_file', 1, 'output_file',
  2, 'error_file', 3, 'created_at', at(0), 'expires_at', at(86400), 'in_progress_at', at(1),
  'finalizing_at', at(2),
      'cancelling_at', at(3),
    'total', 6, 'completed', 2, 'failed', 1, 'phase', 'write', 'endpoint', '/v1/embeddings',
      'completion_window', '24h',
    'metadata', '{"a": "b"}'::jsonb, 'tenant', 't')))::jsonb,
  jsonb_build_object('id', 'batch_7', 'object', 'batch', 'endpoint', '/v1/embeddings', 'errors',
    null, 'input_file_id', 'file-1',
    'completion_window', '24h', 'status', 'finalizing', 'output_file_id', null,
      'error_file_id', null,
    'created_at', sluice.unix_time(at(0)), 'in_progress_at', sluice.unix_time(at(1)), 'expires_at',
      sluice.unix_time(at(86400)), 'finalizing_at', sluice.unix_time(at(2)), 'completed_at', null,
      'failed_at', null, 'expired_at', null, 'cancelling_at', sluice.unix_time(at(3)),
      'cancelled_at', null, 'request_counts', '{"total": 6, "completed": 2, "failed": 1}'::jsonb,
      'metadata', '{"a": "b"}'::jsonb),
  'all of them; what it puts out is hidden');
select results_eq($$select o ->> 'output_file_id', o ->> 'error_file_id'
  from sluice.batch_object(batch_as(jsonb_build_object(
    'phase', 'done', 'ended_at', at(9), 'output_file', 2, 'error_file', 3))) o$$,
      $$values ('file-2', 'file-3')$$, 'until it has ended');
select is(sluice.batch_object(batch_as('{"phase": "done", "errors": [{"code": "x"}]}'))::jsonb
  -> 'errors', '{"object": "list", "data": [{"code": "x"}]}', 'errors are a list');

select * from finish();
rollback;
