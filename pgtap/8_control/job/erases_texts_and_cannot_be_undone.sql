begin;
\ir ../../_helpers.sql
\ir ../../_jobs.sql
select plan(4);

select given_model() as m \gset
select given_failed(:'m', 3) as ids \gset
select sluice.start_job('forget', jsonb_build_object('model', :'m'), p_now => at(10)) as job \gset
select is((stepped(:job)).done, 3::bigint, 'all are forgotten');
select is((select count(*) from sluice.task where id = any (:'ids') and prompt = ''), 3::bigint,
  'their texts are gone');
select code, hint from error_of(format('select sluice.undo_job(%s)', :job)) \gset
select is(:'code'::text, 'SL004', 'for good');
select is(:'hint'::text, 'Erased texts are gone.', 'as the error says');

select * from finish();
rollback;
