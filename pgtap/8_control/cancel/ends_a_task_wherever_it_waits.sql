begin;
\ir ../../_helpers.sql
select plan(6);

select given_model() as m \gset
select given_route(:'m') as r \gset
select given_task(:'m') as queued \gset
select given_task(:'m') as waiting \gset
select given_task(:'m', run_at => at(100)) as later \gset
select given_task(:'r') as routed \gset
select is(sluice.cancel(:queued, at(5)), 'cancelled', 'in the queue');
select is(sluice.cancel(:waiting, at(5)), 'cancelled', 'in the backlog');
select is(sluice.cancel(:later, at(5)), 'cancelled', 'before its time');
select is(sluice.cancel(:routed, at(5)), 'cancelled', 'on its route');
select is((select array_agg(distinct places(t))
  from unnest(array[:queued, :waiting, :later, :routed]) t), array['cancelled'],
  'each in its result, and nowhere else');
select results_eq(format('select finished_at, queued_at, fence, attempts::int, model '
                         'from sluice.result where task_id = %s', :queued),
  format('values (at(5), at(0), 0, 0, %L::text)', :'m'), 'the result says when');

select * from finish();
rollback;
