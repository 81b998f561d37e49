-- sluice.count_ends
begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_history.sql
\ir ../../_jobs.sql
select plan(4);

select given_model() as m \gset
select given_looks();
select given_failed(:'m', 3) \g /dev/null
select is(sluice.count_ends(at(10)), 3::bigint, 'three have failed');
select sluice.start_job('redrive', jsonb_build_object('model', :'m'), p_now => at(11)) as job \gset
select is((stepped(:job, p_now => at(12))).done, 3::bigint, 'a job redrives them');
select sluice.undo_job(:job, at(13)) \g /dev/null
select is((stepped(:job, p_now => at(14))).undone, 3::bigint, 'and is undone');
select is(sluice.count_ends(at(20)), 0::bigint, 'they have failed once');

select * from finish();
rollback;
