begin;
\ir ../../_helpers.sql
\ir ../../_jobs.sql
select plan(3);

select given_model() as m \gset
select given_failed(:'m', 2) as ids \gset
select sluice.start_job('redrive', jsonb_build_object('model', :'m'), p_now => at(10)) as job \gset
select stepped(:job, p_now => at(11)) \g /dev/null
select given_worker(array[:'m'], at(12)) as w \gset
select (claimed(:w, 1, at(13)))[1] as taken \gset
select sluice.undo_job(:job, at(14)) \g /dev/null
select is((stepped(:job, p_now => at(15))).undone, 1::bigint, 'one still waited');
select is(places(:taken), 'lease', 'the other one is with a worker');
select is((select count(*) from sluice.attempt where task_id = :taken and kind = 'redriven'),
  1::bigint, 'and keeps its earlier outcome');

select * from finish();
rollback;
