begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(10);

create function code_of(p_ending text, p_status text, p_code text default null,
  p_refusal text default null) returns text language sql
as $$
  select sluice.line_error_code(batch_as(jsonb_build_object('ending', p_ending)),
    case when p_status is not null then
    result_as(jsonb_build_object('status', p_status, 'error_code', p_code)) end, p_refusal)
$$;
select is(code_of(null, null, p_refusal => 'SL007'), 'invalid_request', 'refused');
select is(code_of('cancelled', null, p_refusal => 'SL007'), 'invalid_request',
  'refused before it was cancelled');
select is(code_of('cancelled', null), 'batch_cancelled', 'never submitted');
select is(code_of('expired', null), 'batch_expired', 'never submitted in its time');
select is(code_of('cancelled', 'expired'), 'batch_cancelled', 'cut off');
select is(code_of('expired', 'cancelled'), 'batch_expired', 'by whatever ended the batch');
select is(code_of('expired', 'failed', 'http_500'), 'http_500', 'failed before that');
select is(code_of(null, 'failed'), 'failed', 'failed without a code');
select is(code_of(null, 'cancelled'), 'batch_cancelled', 'cancelled by hand');
select is(code_of(null, null), 'result_gone', 'its result is gone');

select * from finish();
rollback;
