begin;
\ir ../../_helpers.sql
\ir ../../_jobs.sql
select plan(8);

select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select given_task(:'m', p_now => at(0)) as leased \gset
select claimed(:w, 1) \g /dev/null
select given_task(:'m', p_now => at(1)) as waiting \gset
select given_task(:'m', p_now => at(2)) as gone \gset
select given_task(:'m', p_now => at(3)) as other \gset
select sluice.cancel(:other, at(4)) \g /dev/null
select sluice.start_job('cancel', jsonb_build_object('model', :'m'), p_now => at(10)) as job \gset
select is((stepped(:job, p_now => at(11))).done, 3::bigint, 'each once');
select is(places(:leased), 'lease', 'a call is aborted by its worker');
select completed(:w, told(:leased, 'cancelled'), at(12)) \g /dev/null
select sluice.redrive(:gone, at(13)), sluice.cancel(:gone, at(14)) \g /dev/null
select sluice.undo_job(:job, at(20)) \g /dev/null
select is((stepped(:job, p_now => at(21))).undone, 2::bigint, 'they are redriven');
select is(places(:waiting), 'queue', 'one that waited');
select is(places(:leased), 'queue', 'one whose call was aborted');
select is(places(:gone), 'cancelled', 'not one that somebody has cancelled since');
select is(places(:other), 'cancelled', 'nor one that was cancelled before');
select is(queued(:'m'), array[:leased, :waiting]::bigint[], 'behind the others');

select * from finish();
rollback;
