-- Batches as clients see them, in the terms of OpenAI's and Anthropic's APIs.

-- batch_status: a batch's state in OpenAI's terms.
create or replace function sluice.batch_status(p_batch sluice.batch) returns text
language sql immutable
as $$
  select case
    when p_batch.phase = 'done' then coalesce(p_batch.ending, 'completed')
    when p_batch.ending = 'cancelled' then 'cancelling'
    when p_batch.phase = 'validate' then 'validating'
    when p_batch.phase = 'write' and p_batch.ending is null then 'finalizing'
    else 'in_progress' end
$$;

-- batch_object: a batch as OpenAI's API shows it.
create or replace function sluice.batch_object(p_batch sluice.batch) returns json
language plpgsql stable
as $$
declare
  v_status text := sluice.batch_status(p_batch);
  v_ended bigint := sluice.unix_time(p_batch.ended_at);
begin
  return json_build_object('id', 'batch_' || p_batch.id, 'object', 'batch', 'endpoint',
    p_batch.endpoint, 'errors', case when p_batch.errors is not null
      then json_build_object('object', 'list', 'data', p_batch.errors) end,
    'input_file_id', 'file-' || p_batch.input_file, 'completion_window', p_batch.completion_window,
      'status', v_status,
    'output_file_id', case when v_ended is not null then 'file-' || p_batch.output_file end,
    'error_file_id', case when v_ended is not null then 'file-' || p_batch.error_file end,
    'created_at', sluice.unix_time(p_batch.created_at), 'in_progress_at',
      sluice.unix_time(p_batch.in_progress_at),
    'expires_at', sluice.unix_time(p_batch.expires_at), 'finalizing_at',
      sluice.unix_time(p_batch.finalizing_at),
    'completed_at', case when v_status = 'completed' then v_ended end,
    'failed_at', case when v_status = 'failed' then v_ended end,
    'expired_at', case when v_status = 'expired' then v_ended end,
    'cancelling_at', sluice.unix_time(p_batch.cancelling_at),
    'cancelled_at', case when v_status = 'cancelled' then v_ended end,
    'request_counts', json_build_object('total', p_batch.total, 'completed', p_batch.completed,
      'failed', p_batch.failed),
    'metadata', p_batch.metadata);
end
$$;

-- message_batch_object: a batch as Anthropic's API shows it. That counts ends only when all have
-- come, so progress, which is ours, says how far the batch is.
create or replace function sluice.message_batch_object(p_batch sluice.batch) returns json
language plpgsql stable
as $$
declare
  v_ended boolean := p_batch.phase = 'done';
  v_left int := p_batch.total - p_batch.completed - p_batch.failed;
begin
  return json_build_object('id', 'msgbatch_' || p_batch.id, 'type', 'message_batch',
    'processing_status', case when v_ended then 'ended' when p_batch.ending = 'cancelled'
      then 'canceling' else 'in_progress' end,
    'request_counts', json_build_object('processing',
      case when v_ended then 0 else p_batch.total end,
      'succeeded', case when v_ended then p_batch.completed else 0 end,
      'errored', case when v_ended then p_batch.failed else 0 end,
      'canceled', case when v_ended and p_batch.ending = 'cancelled' then v_left else 0 end,
      'expired', case when v_ended and p_batch.ending = 'expired' then v_left else 0 end),
    'created_at', sluice.rfc3339(p_batch.created_at), 'expires_at',
      sluice.rfc3339(p_batch.expires_at),
    'ended_at', sluice.rfc3339(p_batch.ended_at), 'cancel_initiated_at',
      sluice.rfc3339(p_batch.cancelling_at),
    'archived_at', null,
    'progress', json_build_object('total', p_batch.total, 'completed', p_batch.completed, 'failed',
      p_batch.failed, 'in_progress_at', sluice.rfc3339(p_batch.in_progress_at)),
    'results_url', case when v_ended
      and exists (select from sluice.file f where f.id = p_batch.output_file)
      then '/v1/messages/batches/msgbatch_' || p_batch.id || '/results' end);
end
$$;

-- rfc3339: a time in UTC, as Anthropic's API writes it.
create or replace function sluice.rfc3339(p_at timestamptz) returns text
language sql stable
as $$ select to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') $$;

-- shown_batch: a batch as the API of its endpoint shows it.
create or replace function sluice.shown_batch(p_batch sluice.batch) returns json
language sql stable
as $$
  select case when p_batch.endpoint = '/v1/messages' then sluice.message_batch_object(p_batch)
    else sluice.batch_object(p_batch) end
$$;

-- visible_batch: the batch if it belongs to that API and not to another tenant, else null.
-- Params:  p_messages: Anthropic's API.
create or replace function sluice.visible_batch(p_batch bigint, p_tenant text, p_messages boolean)
returns sluice.batch
language sql stable
as $$
  select b from sluice.batch b
  where b.id = p_batch and (b.endpoint = '/v1/messages') = p_messages
    and (p_tenant is null or b.tenant = p_tenant)
$$;
