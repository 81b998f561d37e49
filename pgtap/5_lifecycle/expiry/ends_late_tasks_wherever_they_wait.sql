begin;
\set alone
\ir ../../_helpers.sql
select plan(7);

select given_model() as m \gset
select given_route(:'m') as r \gset
select given_worker() as w \gset
select given_task(:'m', deadline => at(5)) as running \gset
select claimed(:w, 1) \g /dev/null
select given_task(:'m', deadline => at(5)) as queued \gset
select given_task(:'m', deadline => at(50)) as waiting \gset
select given_task(:'r', deadline => at(5)) as routed \gset
select given_task(:'m', deadline => at(5), run_at => at(4)) as later \gset
select given_wait(at(100), :later) \g /dev/null
update sluice.models set paused = true where name = :'m';
select is(sluice.expire_due(at(4)), 0, 'before the deadline nothing');
select is(sluice.expire_due(at(5)), 3, 'at the deadline, though the model is paused');
select is(array[places(:queued), places(:routed), places(:later)],
  array['expired', 'expired', 'expired'], 'in the queue, on its route, before its time');
select is(array[places(:waiting), places(:running)], array['queue', 'lease'],
  'a later deadline and a running call stay');
select results_eq(format('select finished_at, queued_at, error_code, model from sluice.result '
                         'where task_id = %s', :queued),
  format($$values (at(5), at(0), 'deadline'::text, %L::text)$$, :'m'),
    'the result says when and why');
select is((select model from sluice.result where task_id = :routed), null,
  'a route''s task has met no model');
select is(sluice.expire_due(at(5)), 0, 'then nothing is left');

select * from finish();
rollback;
