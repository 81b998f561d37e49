begin;
\ir ../_helpers.sql
select plan(4);

select given_model(rpm => 60) as a, given_model() as b, given_model() as c \gset
select given_route(:'b', :'c') as r \gset
select given_tasks(:'a', 3), given_tasks(:'r', 4) \g /dev/null
select given_task(:'b', run_at => at(100)) \g /dev/null
select sluice.close_model(:'b', 'infinity', 'credential: HTTP 401'), sluice.pause(:'c');
select results_eq(format($$select model, state, state_reason, state_until, breaker, pressure, depth,
    in_flight, unfinished, is_estimate, paused
  from sluice.overview(clock_timestamp()) where model in (%L, %L, %L)$$, :'a', :'b', :'c'),
  format($$select model, state, state_reason, state_until, breaker, pressure, depth::bigint,
    in_flight, unfinished, false, paused
  from sluice.queues where model in (%L, %L, %L) order by model$$, :'a', :'b', :'c'),
  'state, depth and pressure');
select results_eq(format($$select model, depth, waiting from sluice.model_loads()
  where model = id_of(%L)$$, :'b'), format($$values (id_of(%L), 0::bigint, 3::bigint)$$, :'b'),
  'its part of a route, and what waits for its time');
select is((select since from sluice.line_loads() where line = id_of(:'a')), at(0),
  'since when the oldest one waits');
select is((select oldest_ready_s from sluice.overview(at(30)) where model = :'a'),
  30::double precision, 'in seconds, by the given clock');

select * from finish();
rollback;
