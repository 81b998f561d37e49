begin;
\ir ../../_helpers.sql
\ir ../../_jobs.sql
select plan(10);

-- ended: a job of a tenant's key that has cancelled one of its tasks.
create function ended(p_model text, p_tenant text) returns bigint language plpgsql
as $$
declare
  v_job sluice.job;
begin
  perform given_task(p_model, tenant => p_tenant);
  v_job := sluice.store_job(sluice.new_job('cancel', '{"everything": true}', null, null, p_tenant,
    at(0)));
  perform stepped(v_job.id, p_now => at(1));
  return v_job.id;
end
$$;

select given_model() as m \gset
select array_agg(ended(:'m', 'a')) as jobs from generate_series(1, 3) \gset
select sluice.undo_job((:'jobs'::bigint[])[n], at(2)) from generate_series(1, 2) n
  \g /dev/null
select code, message from error_of(format('select sluice.undo_job(%s, at(2))',
  (:'jobs'::bigint[])[3])) \gset
select is(:'code'::text, 'SL003', 'two jobs of a tenant are undone at a time');
select is(:'message'::text, format('too many jobs are open of this tenant: %s, %s',
  (:'jobs'::bigint[])[1], (:'jobs'::bigint[])[2]), 'the error names them');
select is((error_of($$select sluice.store_job(sluice.new_job('cancel', '{"everything": true}', null,
  null, 'a', at(2)))$$)).code, 'SL003', 'they are open as others are');
select lives_ok($$select sluice.store_job(sluice.new_job('cancel', '{"everything": true}', null,
  null, 'b', at(2)))$$, 'another tenant''s begin');
select is((stepped((:'jobs'::bigint[])[1], p_now => at(3))).state, 'undone', 'when one has ended');
select is(sluice.undo_job((:'jobs'::bigint[])[3], at(4)), 'undoing', 'the next one begins');

select sluice.store_job(sluice.new_job('cancel', '{"everything": true}', null, null, 't' || n,
  at(2))) from generate_series(1, 7) n \g /dev/null
select is((error_of($$select sluice.store_job(sluice.new_job('cancel', '{"everything": true}', null,
  null, 'y', at(2)))$$)).message, 'too many jobs are open: 10 of all tenants',
  'all tenants have ten');

-- A task that stays locked.
create or replace function sluice.undo_part(
  p_job sluice.job, p_tasks sluice.job_task[], p_now timestamptz)
returns int language plpgsql
as $$
begin
  raise exception 'locked' using errcode = '55P03';
end
$$;
set local client_min_messages = error;
select is((stepped((:'jobs'::bigint[])[3], 19)).error, 'a task is locked by an open transaction',
  'one that meets a locked task waits for it');
select results_eq(format('select state, error from stepped(%s)', (:'jobs'::bigint[])[3]),
  $$values ('failed', 'a task is locked by an open transaction')$$, 'but not for ever');
update sluice.job set scope = 'all', tenants = '{}' where id = (:'jobs'::bigint[])[2];
select is((stepped((:'jobs'::bigint[])[2], 50)).state, 'undoing',
  'one that acts for no tenant has no tenant''s place, and waits on');

select * from finish();
rollback;
