-- sluice.job_ids_max
begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_jobs.sql
select plan(13);

select given_model() as a, given_model() as b \gset
select given_failed(:'a', 3) as failed \gset
select array[given_task(:'a'), given_task(:'b'), given_task(:'a'),
  given_task(:'a', run_at => at(9999))] as waiting \gset
select (:'waiting'::bigint[])[1] as w1, (:'waiting'::bigint[])[2] as w2,
  (:'waiting'::bigint[])[3] as w3, (:'waiting'::bigint[])[4] as w4,
  (:'failed'::bigint[])[1] as f1, (:'failed'::bigint[])[2] as f2 \gset

select sluice.start_job('prioritise', jsonb_build_object('ids', array[:w1, :w2, :w4, :f1]),
  priority => 7, p_now => at(10)) as job \gset
select results_eq(format('select matched, is_estimate from job_of(%s)', :job),
  'values (3::bigint, false)', 'those of them that wait are counted');
select is((stepped(:job)).done, 3::bigint, 'wherever they wait');
select is((select array_agg(priority order by id) from sluice.task where id = any (:'waiting')),
  '{7,7,0,7}', 'and no other');
select is(sluice.undo_job(:job, at(101)), 'undoing', 'it has an undo');
select is((stepped(:job)).undone, 3::bigint, 'of all');

select sluice.start_job('move', jsonb_build_object('ids', array[:w1, :w2]), target => :'b',
  p_now => at(20)) as job \gset
select is((stepped(:job)).done, 1::bigint, 'who is there already is not moved');
select set_eq(format('select unnest(queued(%L))', :'b'), array[:w1, :w2]::bigint[], 'the other is');

select sluice.start_job('redrive', jsonb_build_object('ids', array[:f1::text]), p_now => at(30))
  as job \gset
select is((stepped(:job)).done, 1::bigint, 'ids may be texts');
select is(array[places(:f1), places(:f2)], array['queue', 'failed'], 'one of a group');
select sluice.cancel(:w3, at(31)) \g /dev/null
select is(sluice.start_job('redrive', jsonb_build_object('ids', array[:w3, :f2]), true,
  p_now => at(40)), 2::bigint, 'chosen ones are redriven whatever their end');
select is(sluice.start_job('redrive', jsonb_build_object('ids', array[:w3, :f2], 'status',
  'cancelled'), true, p_now => at(40)), 1::bigint, 'unless a status is given');
select is(sluice.start_job('cancel', jsonb_build_object('ids', array[:f2]), true,
  p_now => at(40)), 0::bigint, 'what has ended is not cancelled');
select is(sluice.job_ids_max(), 200, 'so many at once');

select * from finish();
rollback;
