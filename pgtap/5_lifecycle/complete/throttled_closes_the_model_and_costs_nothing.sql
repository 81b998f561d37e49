-- sluice.complete
begin;
\ir ../../_helpers.sql
select plan(6);

select given_model() as m \gset
select given_worker() as w \gset
select given_task(:'m') as t \gset
select claimed(:w, 1) \g /dev/null
select is(completed(:w, told(:t, 'throttled', error => 'HTTP 429: x', http_status => 429,
  retry_after_ms => 30000)), true, 'it holds');
select is(places(:t), 'queue', 'the task is queued again');
select results_eq(format('select attempts::int, fence, ready_at from sluice.queue '
                         'where task_id = %s', :t),
  'values (0, 1, at(0))', 'at its place, no attempt charged');
select results_eq(format('select closed_until, closed_reason from sluice.models where name = %L',
  :'m'),
  $$values (at(32), 'throttled: HTTP 429'::text)$$,
    'the model is closed for the whole fleet until then');
select is((model_row(:'m')).closed_detail, 'HTTP 429: x',
  'what the backend said is for administrators');
select is_empty(format('select * from sluice.attempt where task_id = %s', :t), 'nothing is noted');

select * from finish();
rollback;
