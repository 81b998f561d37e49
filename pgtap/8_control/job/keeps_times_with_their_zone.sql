begin;
\ir ../../_helpers.sql
\ir ../../_jobs.sql
select plan(3);

select given_model() as m \gset
select given_task(:'m') as t \gset
set local timezone to 'Asia/Tokyo';
-- 15:00 of the day before in UTC, which is before the task was submitted
select sluice.start_job('cancel', '{"until": "2040-01-01 00:00:00"}', p_now => at(1)) as j \gset
select is((job_of(:j)).filter ->> 'until', '2040-01-01T00:00:00+09:00', 'a time is kept with it');
set local timezone to 'UTC';
select stepped(:j) \g /dev/null
select is((job_of(:j)).done, 0::bigint, 'steps in another zone mean the same time');
select is(places(:t), 'queue', 'the task stays');

select * from finish();
rollback;
