begin;
\ir ../../_helpers.sql
\ir ../../_jobs.sql
select plan(14);

select given_model() as a, given_model() as b \gset
select given_task(:'a') as waiting, given_task(:'a', run_at => at(1000)) as later \gset
select 'queue_' || id_of(:'a') as q \gset
select is(sluice.waiting_ids(:'q', array[:waiting, :later]), array[:waiting]::bigint[],
  'those that wait there');
select is(sluice.waiting_ids('later', array[:waiting, :later]), array[:later]::bigint[],
  'or there');
select j as job from sluice.new_job('move', jsonb_build_object('model', :'a'), :'b', null, null,
  at(1)) j \gset
select is(sluice.fitting(:'job'::sluice.job, array[:waiting, :later]),
  array[:waiting, :later]::bigint[], 'both fit');
select is(sluice.move_waiting(:'q', array[:waiting, :later], id_of(:'b'), null, null),
  array[:waiting]::bigint[], 'one is moved from there');
select is(sluice.move_waiting(:'q', array[:waiting], id_of(:'a'), null, null), '{}',
  'once');
select is(queued(:'b'), array[:waiting]::bigint[], 'it waits in the other line');
select is((select fence from sluice.queue where task_id = :waiting), 1,
  'and does not look as if it had never been anywhere else');
select a.changed, a.skipped
from sluice.act_on(:'job'::sluice.job, 'later', array[:later], at(4)) a \gset
select is(:skipped, 0, 'the other one fits');
select is((select t.model from unnest(:'changed'::sluice.job_task[]) t), id_of(:'a'),
  'as it was is kept');
select is((select model from sluice.later where task_id = :later), id_of(:'b'), 'and is moved');
select is(sluice.prioritise('later', array[:waiting, :later], 7), array[:later]::bigint[],
  'a priority is given in one place, too');
select given_route(:'a') as r \gset
select given_task(:'r', p_now => at(2)) as routed \gset
select sluice.place_of(own_line(:'r')) as p \gset
select is(sluice.prioritise(:'p', array[:routed], 7), array[:routed]::bigint[],
  'also in the line of a route');
select results_eq(format('select rank, ready_at, model from sluice.%I where task_id = %s', :'p',
  :routed), format('values (-7::smallint, %L::timestamptz, null::int)', at(2)),
  'where it stays, and keeps its age');
select is((error_of(format('select sluice.act_on(jsonb_populate_record(%L::sluice.job, '
  '''{"target": "gone"}''), ''later'', ''{}'', at(4))', :'job'))).code, 'SL001',
  'a target must be there');

select * from finish();
rollback;
