begin;
\ir ../../_helpers.sql
select plan(6);

select given_model() as a \gset
select given_model() as b \gset
select given_mark(:'a', at(10));
select sluice.requeue(array[
  row(2, 1, at(3), at(4), null, 0, id_of(:'b'), 1, 1, 0, 0, 'default', 1, null)::sluice.lease,
  row(1, 1, at(2), at(4), at(99), 0, id_of(:'a'), 1, 4, 0, 2, 'default', 1, null)::sluice.lease]);
select results_eq(format('select task_id, ready_at, deadline, fence, attempts::int '
                         'from sluice.queue where model = %s', id_of(:'a')),
  'values (1::bigint, at(2), at(99), 4, 2)', 'a row as it was');
select is(queued(:'b'), array[2]::bigint[], 'each in its model''s queue');
select is(marked(:'a'), at(2), 'the mark is lowered');
select is((select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()
  and classid = sluice.lock_class('model')
  and objid in (id_of(:'a'), id_of(:'b'))), 2::bigint, 'under the models'' locks');
select ok(shares_lock(:'a') and shares_lock(:'b'), 'and both lines'' sleepers are notified');
select lives_ok('select sluice.requeue(null)', 'nothing to put back is no error');

select * from finish();
rollback;
