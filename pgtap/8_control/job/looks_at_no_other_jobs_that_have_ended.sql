-- sluice.has_old_jobs, sluice.drop_old_jobs
begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_jobs.sql
select plan(3);

insert into sluice.job (matched, created_at, look_at, finished_at, undo_until, action, scope,
  tenants, who, filter, position, state, is_estimate)
select 1, at(0), at(0), at(0), case when n % 2 = 0 then at(0) + sluice.undo_time() end, 'cancel',
  'tenants', array['t' || n % 9], 'x', '{}', '{}', 'done', false
from generate_series(1, 2000) n;
create function jobs_read() returns bigint language sql volatile
as $$
  select seq_tup_read + coalesce(idx_tup_fetch, 0) from pg_stat_xact_user_tables
  where relid = 'sluice.job'::regclass
$$;
select jobs_read() as before \gset
select sluice.advance_jobs(at(1)) \g /dev/null
select cmp_ok(jobs_read() - :before, '<', 10::bigint, 'while none is open');

select given_model() as m \gset
select given_tasks(:'m', 60) \g /dev/null
-- As after a vacuum of an empty table, when each plan expects one row.
update pg_class set reltuples = 0, relpages = 100 where oid = 'sluice.job'::regclass;
set local statement_timeout = '20 s';
select sluice.start_job('cancel', jsonb_build_object('model', :'m'), p_now => at(1)) as job \gset
analyze sluice.job;
select setval('sluice.jobs_after', 1) \g /dev/null
select jobs_read() as before \gset
select sluice.advance_jobs(at(2)) \g /dev/null
select cmp_ok(jobs_read() - :before, '<', 50::bigint, 'beside a step');
select is((job_of(:job)).started_at, at(2), 'which was made');

select * from finish();
rollback;
