begin;
\ir ../../_helpers.sql
\ir ../../_jobs.sql
select plan(12);

-- On a busy machine, too.
create or replace function sluice.job_count_time() returns interval language sql immutable
as $$ select interval '1 minute' $$;
select given_model() as m, given_model() as other \gset
select given_tasks(:'m', 3000) as ids \gset
select given_tasks(:'other', 100) \g /dev/null
create function counted(p_filter jsonb, p_action text default 'cancel', p_target text default null)
  returns text language sql
as $$ select concat_ws(' ', j.matched, case when j.is_estimate then 'estimated' end)
  from sluice.new_job(p_action, p_filter, p_target, null, null, at(10)) j $$;
select is(counted(jsonb_build_object('model', :'m')), '3000', 'it counts');
select is(counted(jsonb_build_object('model', :'m', 'status', 'unsolved')), '0', 'by status');
select is(counted(jsonb_build_object('model', :'m'), 'move', :'m'), '0',
  'nothing is to be moved where it is');
select sluice.count_page('queue_' || id_of(:'m'), sluice.job_filter(j), false, 0,
    (:'ids'::bigint[])[3000], 1000) as page
from sluice.new_job('cancel', jsonb_build_object('model', :'m'), null, null, null, at(10)) j \gset
select is(:'page'::text, format('(1000,%s,1000)', (:'ids'::bigint[])[1000]), 'page by page');
create or replace function sluice.job_count_time() returns interval language sql immutable
as $$ select interval '1 us' $$;
select counted(jsonb_build_object('model', :'m')) as estimate \gset
select matches(:'estimate'::text, 'estimated$', 'without time it says that it estimates');
select cmp_ok(split_part(:'estimate', ' ', 1)::int, '>=', 3000, 'what it counted is not lost');
create or replace function sluice.job_count_time() returns interval language sql immutable
as $$ select interval '1 minute' $$;
select cmp_ok(abs(sluice.sample_place('queue_' || id_of(:'m'), sluice.job_filter(j), false,
    (:'ids'::bigint[])[1] - 1, (:'ids'::bigint[])[3000], 'infinity') - 3000), '<', 300::bigint,
  'a sample is about right')
from sluice.new_job('cancel', jsonb_build_object('model', :'m'), null, null, null, at(10)) j;
select cmp_ok(abs(sluice.sample_place('queue_' || id_of(:'m'), sluice.job_filter(j), false,
    (:'ids'::bigint[])[1] - 1, (:'ids'::bigint[])[3000] + 9000, 'infinity') - 3000), '<',
  300::bigint, 'also where only some of the ids are there')
from sluice.new_job('cancel', jsonb_build_object('model', :'m'), null, null, null, at(10)) j;
select is(sluice.sample_place('queue_' || id_of(:'m'), sluice.job_filter(j), false, 1, 1,
  '-infinity'), 0::bigint, 'of nothing it is nothing')
from sluice.new_job('cancel', jsonb_build_object('model', :'m'), null, null, null, at(10)) j;
select given_model() as failing \gset
select given_failed(:'failing', 2) \g /dev/null
select is(counted(jsonb_build_object('model', :'failing', 'message', 'HTTP #'), 'redrive'), '2',
  'and failures by what they say');
create or replace function sluice.is_served(p_model int, p_route text) returns boolean language sql
as $$ select pg_sleep(0.02)::text = '' $$;
select clock_timestamp() as begun \gset
select counted(jsonb_build_object('model', :'failing'), 'redrive') \g /dev/null
select cmp_ok(clock_timestamp() - :'begun', '>=', interval '80 ms',
  'after the 40 ms of a page it rests as long');
create or replace function sluice.job_count_time() returns interval language sql immutable
as $$ select interval '1 us' $$;
create or replace function sluice.sample_place(p_place text, p_filter sluice.task_filter,
  p_unsolved boolean, p_after bigint, p_until bigint, p_stop timestamptz) returns bigint
language sql
as $$ select 100000 + p_after $$;
select is(counted(jsonb_build_object('model', :'m', 'status', 'queued')), format('%s estimated',
  250 + 100000 + (:'ids'::bigint[])[250]), 'a page takes little time');

select * from finish();
rollback;
