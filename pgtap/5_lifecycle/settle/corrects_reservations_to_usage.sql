-- sluice.settle_reserved
begin;
\ir ../../_helpers.sql
select plan(9);

select given_model(tpm => 60000) as m \gset
select id_of(:'m') as id \gset
select given_worker() as w \gset
-- 10 bytes: 2 tokens, 8 for the frame, 90 for the answer: 100 reserved.
create function after(p_outcome_kind text, p_input int default null, p_output int default null,
  p_billed boolean default null,
                      p_started int default 1) returns bigint language plpgsql
as $$
declare
  v_model text := format('model-%s-1', pg_backend_pid());
  v_worker bigint := (select id from sluice.worker where name = 'test'
    and xmin::text = pg_current_xact_id()::text);
  v_task bigint := given_task(v_model, prompt => 'ten bytes.', max_output_tokens => 90);
begin
  delete from sluice.spent where account = id_of(v_model);
  perform sluice.set_counter('tokens', id_of(v_model), 0);
  perform forget_counter('learned', v_model);
  perform sluice.claim(v_worker, array[v_model], 1, at(p_started));
  perform completed(v_worker, told(v_task, p_outcome_kind, input_tokens => p_input,
    output_tokens => p_output, billed => p_billed), at(50));
  delete from sluice.queue where task_id = v_task;
  update sluice.models set closed_until = null where name = v_model;
  return sluice.tokens_spent(id_of(v_model), at(p_started));
end
$$;
select is(after('solved', 12, 30), 42::bigint, 'what was used');
select is(after('solved', 12, 300), 312::bigint, 'also when it is more');
select is(after('solved'), 100::bigint, 'nobody told: the reservation stands');
select is(after('failed'), 100::bigint, 'a failure may have been billed');
select is(after('failed', p_billed => false), 0::bigint, 'one that was not is refunded');
select is(after('retry', 7, 0), 7::bigint, 'or what it is known to have used');
select is(after('returned'), 0::bigint, 'never sent: refunded');
select is(after('throttled'), 0::bigint, 'refused: refunded');
select is(after('cancelled'), 100::bigint, 'cancelled in mid-call: it stands');

select * from finish();
rollback;
