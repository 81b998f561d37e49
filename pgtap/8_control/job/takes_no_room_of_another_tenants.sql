begin;
\ir ../../_helpers.sql
\ir ../../_jobs.sql
select plan(18);

create or replace function sluice.jobs_kept_max() returns int language sql immutable
as $$ select 3 $$;
create or replace function sluice.undo_tasks_max() returns bigint language sql immutable
as $$ select 4 $$;

-- started: a job of a tenant's key that has ended, after it cancelled the tenant's tasks.
create function started(p_tenant text, p_now timestamptz) returns bigint language plpgsql
as $$
declare
  v_job sluice.job := sluice.store_job(sluice.new_job('cancel', '{"everything": true}', null, null,
    p_tenant, p_now));
begin
  perform stepped(v_job.id, p_now => p_now);
  return v_job.id;
end
$$;

select given_model() as m \gset
select given_task(:'m', tenant => 'b') from generate_series(1, 3) \g /dev/null
select started('b', at(0)) as theirs \gset
select sluice.start_job('cancel', '{"everything": true}', p_now => at(0)) as all \gset
select stepped(:all, p_now => at(0)) \g /dev/null
select is((job_of(:theirs)).done, 3::bigint, 'another tenant''s job has done something');

select started('a', at(n)) from generate_series(1, 8) n \g /dev/null
select sluice.drop_old_jobs(at(20)) from generate_series(1, 8) \g /dev/null
select results_eq('select count(*) from sluice.job where tenants = ''{a}''', array[3::bigint],
  'a tenant''s many jobs are bounded');
select ok(sluice.can_undo(job_of(:theirs), at(20)), 'another one''s can be undone nevertheless');
select isnt((job_of(:all)).id, null, 'and those of no tenant are there');

select given_task(:'m', tenant => 'a') from generate_series(1, 2) \g /dev/null
select started('a', at(31)) as first \gset
select started('a', at(32)) from generate_series(1, 5) n \g /dev/null
select ok(sluice.can_undo(job_of(:first), at(33)),
  'nor does a tenant''s own that changed nothing take the place of one that did');

select given_task(:'m', tenant => 'a') from generate_series(1, 2) \g /dev/null
select started('a', at(34)) as second \gset
select given_task(:'m', tenant => 'a') from generate_series(1, 2) \g /dev/null
select started('a', at(35)) as third \gset
select code, message from error_of($$select started('a', at(36))$$) \gset
select is(:'code'::text, 'SL003', 'while all of them can be undone there is no other one');
select is((error_of(format('select sluice.make_room(job_of(%s))', :third))).code, 'SL003',
  'make_room says so');
select ok(not sluice.has_old_jobs(at(36)), 'none of them is old');
select is(:'message'::text, '3 jobs that have ended can still be undone', 'the error says why');
select sluice.drop_old_jobs(at(34) + interval '25 hours') from generate_series(1, 9) \g /dev/null
select lives_ok($$select started('a', at(34) + interval '25 hours')$$, 'a day later there is');
select isnt((job_of(:theirs)).id, null, 'another tenant''s is still kept');

select results_eq(format('select sluice.is_beside(j, s.scope, s.tenants) from job_of(%s) j,
    (values (''tenants'', ''{a,b}''::text[]), (''tenants'', ''{c}''), (''all'', ''{}''))
    s(scope, tenants)', :theirs), array[true, false, false], 'jobs count with their tenants''');
select results_eq(format('select sluice.is_beside(job_of(%s), s, ''{}'')
    from unnest(array[''all'', ''without_role'']) s', :all), array[true, false],
  'and those of none with others of their scope');
select lives_ok(format('select sluice.take_place(job_of(%s))', :all), 'which have places');

-- What undoing needs.
create or replace function sluice.jobs_kept_max() returns int language sql immutable
as $$ select 100 $$;
select given_task(:'m', tenant => 'b') from generate_series(1, 4) \g /dev/null
select started('b', at(100)) as theirs \gset
select given_task(:'m', tenant => 'c') from generate_series(1, 4) \g /dev/null
select started('c', at(101)) as first \gset
select given_task(:'m', tenant => 'c') from generate_series(1, 4) \g /dev/null
select started('c', at(102)) as second \gset
select given_task(:'m', tenant => 'c') from generate_series(1, 4) \g /dev/null
select started('c', at(103)), started('c', at(104)) \g /dev/null
select is(array[sluice.can_undo(job_of(:first), at(105)), sluice.can_undo(job_of(:second),
  at(105))], array[false, true], 'beyond the bound a tenant''s oldest job loses its undo');
select ok(sluice.can_undo(job_of(:theirs), at(105)), 'and no other tenant''s does');
select sluice.drop_old_jobs(at(105)) from generate_series(1, 3) \g /dev/null
select is_empty(format('select from sluice.job_part where job = %s', :first), 'which is deleted');
select isnt((job_of(:first)).id, null, 'the job is kept');

select * from finish();
rollback;
