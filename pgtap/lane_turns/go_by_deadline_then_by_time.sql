begin;
\ir ../_helpers.sql
select plan(1);

select given_model(max_queue => 1) as m \gset
select given_task(:'m') \g /dev/null
select given_task(:'m', p_now => at(1)) as first \gset
select given_task(:'m', p_now => at(2), deadline => at(900)) as late \gset
select given_task(:'m', p_now => at(3), deadline => at(100)) as soon \gset
select is((select array_agg(t.task_id) from sluice.lane_heads('backlog_' || id_of(:'m'), 1, null, null, null) h
    cross join lateral unnest(sluice.lane_turns(h, 3, interval '10 min', at(4))) t), array[:soon, :late, :first]::bigint[],
  'deadlines first, then who waits longest');

select * from finish();
rollback;
