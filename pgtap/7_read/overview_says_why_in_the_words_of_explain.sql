begin;
\ir ../_helpers.sql
select plan(10);

select given_model(rpm => 60, burst => 1, max_in_flight => 3) as m \gset
create function why(p_model text, p_now numeric) returns text language sql
as $$ select why from sluice.overview(at(p_now)) where model = p_model $$;
select is(why(:'m', 0), 'no live worker serves the model', 'no worker');
select sluice.register_worker('test', 1, array[:'m'], null, at(0)) as w \gset
select is(why(:'m', 1), 'nothing waits', 'no task');
select given_task(:'m', run_at => at(100)) as later \gset
select is(why(:'m', 1), 'what waits is for later: for its time, a retry, or room in a budget',
  'a task with its time');
select sluice.cancel(:later, at(1)) \g /dev/null
select given_tasks(:'m', 5) as ids \gset
select is(why(:'m', 1), 'claimed as slots become free', 'nothing is in its way');
select claimed(:w, 1) \g /dev/null
select is(why(:'m', 1), 'all slots of its workers are busy (1)', 'slots');
select completed(:w, told((:'ids'::bigint[])[1], 'solved'), at(1)) \g /dev/null
select is(why(:'m', 1), sluice.permit_text(model_row(:'m'), null, at(1)), 'permits');
select matches(why(:'m', 1), '^next permit .* \(rpm 60\)$', 'and when the next one comes');
select sluice.move_breaker(id_of(:'m'), 'closed', 'open', 'HTTP 500', at(1)) \g /dev/null
select is(why(:'m', 2), sluice.closed_text(model_row(:'m'), at(2)), 'an open breaker');
select sluice.close_model(:'m', 'infinity', 'credential: HTTP 401');
select is(why(:'m', 2),
  format('the model is parked until somebody runs sluice model resume %s (credential: HTTP 401)',
    :'m'), 'a closure');
select sluice.pause(:'m');
select is(why(:'m', 2), sluice.why_text(model_row(:'m'), 'paused', 1, 0, 1, 1, 0, 0, 1, at(2)),
  'a pause');

select * from finish();
rollback;
