-- sluice.first_new_id, sluice.server_timeline, sluice.ids_skipped, sluice.note_server
begin;
\set alone
\ir ../_helpers.sql
\ir ../_batches.sql
select plan(17);

select isnt(sluice.server_timeline(), null, 'each timeline has a number,');
select is(sluice.server_timeline(), sluice.server_timeline(), 'and keeps it');
select sluice.first_new_id() as before \gset
select given_model() as m, given_model() as other \gset
select given_task(:'m') as old \gset
select is(sluice.first_new_id(), :before::bigint, 'on the same one nothing is left out');

-- As a standby that was promoted, with all that is unlogged gone.
create function given_promotion() returns void language plpgsql
as $$
begin
  perform setval('sluice.ids_given_on', 7);
  update sluice.gate set server_started = '2026-01-01';
end
$$;
select given_promotion();
select given_task(:'m') as new \gset
select cmp_ok(:new::bigint, '>', :old + sluice.ids_skipped(), 'the first submit leaves ids out,');
select is(sluice.first_new_id(), (:new - 1)::bigint, 'beginning behind them');
select cmp_ok(given_task(:'m'), '<', :new + 10::bigint, 'the next one none');
select is((select server_started from sluice.gate), '2026-01-01',
  'a submit does not note the server, for others would wait for its commit');
select is(claimed(given_worker(array[:'m']), 5), array[:old, :new, :new + 1]::bigint[],
  'all are claimed');

select given_promotion();
select cmp_ok((given_tasks(:'other', 2))[1], '>', :new + sluice.ids_skipped(),
  'so do many at once');
select given_promotion();
select mended from sluice.mend_sequences() \g /dev/null
select cmp_ok(sluice.first_new_id(), '>', :new + 2 * sluice.ids_skipped(),
  'or whoever connects and mends');
select is((select server_started from sluice.gate), pg_postmaster_start_time(),
  'who notes the server:');
select setval('sluice.ids_given_on', 7) \g /dev/null
select given_task(:'m') as known \gset
select cmp_ok(given_task(:'m'), '=', :known + 1::bigint, 'then submits do not look any more');
select cmp_ok(pg_sequence_last_value('sluice.ids_given_on'), '=', 7::bigint, 'at all');
select given_promotion();
select sluice.submit('x', :'m', idempotency_key => 'k', p_now => at(9)) as keyed \gset
select is(sluice.submit('x', :'m', idempotency_key => 'k', p_now => at(9)), :keyed::bigint,
  'a key is bound to the id that its task has');
select is((select count(*) from unnest(array['sluice.file_id_seq', 'sluice.batch_id_seq',
  'sluice.job_id_seq']::regclass[]) s where pg_sequence_last_value(s) >= 4 * sluice.ids_skipped()),
  3::bigint, 'files, batches and jobs likewise');
select is(pg_sequence_last_value('sluice.ids_given_on'), sluice.server_timeline(),
  'what is left out is noted');
select lives_ok(format('select sluice.require_range(%s)', sluice.first_new_id()),
  'there is a range for them');

-- other tests' ids go on where they were
select setval('sluice.task_id', :old + 1000), setval('sluice.first_id', 0) \g /dev/null
select * from finish();
rollback;
