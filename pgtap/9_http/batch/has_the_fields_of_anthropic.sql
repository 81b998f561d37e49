begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(6);

select is(sluice.message_batch_object(batch_as(jsonb_build_object('id', 7, 'created_at', at(0),
  'expires_at', at(86400),
    'phase', 'run', 'total', 6, 'completed', 2, 'failed', 1)))::jsonb,
  '{"id": "msgbatch_7", "type": "message_batch", "processing_status": "in_progress",
    "created_at": "2040-01-01T00:00:00.000000Z",
    "request_counts": {"processing": 6, "succeeded": 0, "errored": 0, "canceled": 0, "expired": 0},
      "archived_at": null, "expires_at": "2040-01-02T00:00:00.000000Z", "ended_at": null,
      "progress": {"total": 6, "completed": 2, "failed": 1, "in_progress_at": null},
      "cancel_initiated_at": null, "results_url": null}',
  'all is being processed until the end');
select given_file(array['{}']) as f \gset
select is(sluice.message_batch_object(batch_as(jsonb_build_object('id', 7, 'created_at', at(0),
  'expires_at', at(86400),
    'output_file', :f, 'phase', 'done', 'ending', 'cancelled', 'cancelling_at', at(1),
      'ended_at', at(2),
    'total', 6, 'completed', 2, 'failed', 1)))::jsonb,
  '{"id": "msgbatch_7", "type": "message_batch", "processing_status": "ended",
    "created_at": "2040-01-01T00:00:00.000000Z",
    "request_counts": {"processing": 0, "succeeded": 2, "errored": 1, "canceled": 3, "expired": 0},
      "archived_at": null, "expires_at": "2040-01-02T00:00:00.000000Z",
      "progress": {"total": 6, "completed": 2, "failed": 1, "in_progress_at": null},
      "ended_at": "2040-01-01T00:00:02.000000Z",
      "cancel_initiated_at": "2040-01-01T00:00:01.000000Z",
      "results_url": "/v1/messages/batches/msgbatch_7/results"}',
  'then what was cut off counts for its end');
select is(sluice.message_batch_object(batch_as('{"phase": "done"}')) ->> 'results_url', null,
  'no address of what is gone');
select is(sluice.message_batch_object(batch_as('{"phase": "done", "ending": "expired", "total": 6, '
  '"completed": 2, "failed": 1}'))::jsonb
  -> 'request_counts',
    '{"processing": 0, "succeeded": 2, "errored": 1, "canceled": 0, "expired": 3}',
    'whichever that was');
select is(sluice.message_batch_object(batch_as('{"phase": "stop", "ending": "cancelled"}'))
  ->> 'processing_status', 'canceling', 'with one l');
select is(sluice.message_batch_object(batch_as('{"phase": "stop", "ending": "expired"}'))
  ->> 'processing_status', 'in_progress', 'expiring has no word of its own');

select * from finish();
rollback;
