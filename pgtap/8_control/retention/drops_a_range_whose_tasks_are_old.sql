begin;
\set alone
\ir ../../_helpers.sql
select plan(13);

-- Waits for autovacuum, which would make retention give up.
lock table sluice.task, sluice.result in access exclusive mode;
select last_value as before, is_called from sluice.task_id \gset
select setval('sluice.retain_after', 0, false) \g /dev/null
update sluice.settings set retention = '10 seconds';
select given_model() as m \gset
select given_worker() as w \gset
select sluice.submit('old', :'m', idempotency_key => 'old-' || pg_backend_pid(),
  p_now => at(0)) as old \gset
select given_task(:'m') as failed \gset
select given_task(:'m') as unfinished \gset
select given_task(:'m') as young \gset
select given_task(:'m', run_at => at(1000)) as later \gset
select claimed(:w, 4) \g /dev/null
select sluice.complete(:w, array[told(:old, 'solved'), told(:failed, 'failed')], at(2)) \g /dev/null
select completed(:w, told(:young, 'solved', answer => 'yes'), at(15)) \g /dev/null
select is((sluice.retain(at(20))).dropped, 0, 'a range that still gives out ids stays');
select setval('sluice.task_id', 1000000) \g /dev/null
select given_task(:'m', p_now => at(19)) as newest \gset
select is((sluice.retain(at(9))).dropped, 0, 'so does one whose last task is young');
select setval('sluice.retain_after', 0, false) \g /dev/null
select is((sluice.retain(at(20))).dropped, 1, 'once it is older than the retention it goes');
select hasnt_table('sluice', 'task_0', 'its tasks');
select hasnt_table('sluice', 'result_0', 'and its results');
select is_empty(format('select * from sluice.task(%s)', :old), 'an old task is no more');
select is(array[places(:unfinished), places(:young), places(:later), places(:newest)],
  array['lease', 'solved', 'later', 'queue'], 'what is unfinished or young is where it was');
select is((select tableoid::regclass::text from sluice.task where id = :young),
  'sluice.task_retained', 'its row is retained');
select is((select answer from sluice.task(:young)), 'yes', 'with its texts');
select is(completed(:w, told(:unfinished, 'solved'), at(21)), true, 'an old task can still end');
select is(tableoid::regclass::text, 'sluice.result_retained', 'and so is this') from sluice.result
where task_id = :unfinished;
select setval('sluice.retain_after', 0, false) \g /dev/null
select is((sluice.retain(at(22))).erased, 2,
  'the next round erases what the old tasks left behind');
select is((select count(*) from sluice.attempt where task_id = :failed)
        + (select count(*) from sluice.idempotency where task_id = :old), 0::bigint,
          'their attempts and keys');
select setval('sluice.task_id', :before, :'is_called') \g /dev/null

select * from finish();
rollback;
