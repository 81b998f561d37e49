begin;
\set alone
\ir ../../_helpers.sql
select plan(7);
create or replace function sluice.burst_time_max()
returns interval language sql immutable as $$ select sluice.mark_lag() $$;

select given_model() as m \gset
select pg_sleep(0.3) \g /dev/null
select sluice.submit('x', :'m') as early \gset
select is(places(:early), 'queue',
  'where everybody may act for every tenant it goes into its line');
update sluice.settings set default_role = 'sluice_submitter';
select ok(sluice.waits_for_commit(1), 'a transaction is longer than the marks'' lag');
select sluice.submit('x', :'m') as late \gset
select is(places(:late), 'later', 'its task waits aside');
select is((select ready_at from sluice.later where task_id = :late),
  (select created_at from sluice.task where id = :late), 'but not for a time');
select is((select array_agg(places(id)) from sluice.submit_many(jsonb_build_array(
  jsonb_build_object('model', :'m', 'prompt', 'x'))) id), '{later}', 'so do many');
select is(sluice.wake(clock_timestamp()), 2, 'what is committed is moved');
select is(places(:late), 'queue', 'into its line');

select * from finish();
rollback;
