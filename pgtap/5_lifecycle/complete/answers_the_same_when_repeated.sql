begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_worker() as w \gset
select given_tasks(:'m', 3) as ids \gset
select claimed(:w, 3) \g /dev/null
create function tell() returns boolean[] language sql
as $$
  select array_agg(c.applied order by c.task_id) from sluice.complete(
    (select max(id) from sluice.worker where name = 'test'),
    array(select told(t.id, case n when 1 then 'solved' when 2 then 'failed' else 'retry' end)
          from (select id, row_number() over (order by id) as n from sluice.task
                where id in (select task_id from sluice.lease union select task_id
                  from sluice.attempt
                             union select task_id from sluice.result)) t), at(2)) c
$$;
select is(tell(), array[true, true, true], 'the first time');
select is(tell(), array[true, true, true], 'again, after a COMMIT whose answer was lost');
select is((select count(*) from sluice.attempt where task_id = any (:'ids')), 2::bigint,
  'the failed and the retried call are noted once');
select is((select array_agg(places(t)) from unnest(:'ids'::bigint[]) t),
  array['solved', 'failed', 'later'], 'each task is in one place');

select * from finish();
rollback;
