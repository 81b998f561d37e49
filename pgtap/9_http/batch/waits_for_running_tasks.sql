-- sluice.stop_batch
begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(7);

select given_speaker() as m \gset
select given_worker(array[:'m']) as w \gset
select given_batch(:'m', 4) as b \gset
select advanced(:b, 'run') \g /dev/null
select claimed(:w, 2) as ts \gset
select sluice.cancel_batch(:b, null, false, at(2)), advanced(:b, 'write', at(2)) \g /dev/null
select is((batch_row(:b)).phase, 'stop', 'two are with a worker');
select is(array(select places(t) from unnest(tasks_of_batch(:b)) t),
  array['lease', 'lease', 'cancelled', 'cancelled'], 'what waited is cancelled');
select bag_eq(format('select task_id from sluice.heartbeat(%s, at(2))', :w),
  format('select unnest(%L::bigint[])', :'ts'), 'the worker is told');
select completed(:w, told((:'ts'::bigint[])[1], 'cancelled'), at(3)) \g /dev/null
select is(advanced(:b, 'write', at(3)), 'stop', 'one is');
select completed(:w, told((:'ts'::bigint[])[2], 'solved'), at(4)) \g /dev/null
select advanced(:b, 'write', at(5)), advanced(:b, 'write', at(6)) \g /dev/null
select is((batch_row(:b)).phase, 'write', 'none is');
select advanced(:b, 'done', at(7)) \g /dev/null
select bag_eq(format('select * from lines_of(%s)', :b),
  $$values ('c1', 'batch_cancelled'), ('c2', 'output'), ('c3', 'batch_cancelled'),
    ('c4', 'batch_cancelled')$$, 'an answer that came first is not lost');
select is((select (total, completed, failed)::text from sluice.batch where id = :b), '(4,1,0)',
  'and counts');

select * from finish();
rollback;
