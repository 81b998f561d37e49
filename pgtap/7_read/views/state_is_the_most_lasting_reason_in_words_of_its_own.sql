-- model_state
begin;
\ir ../../_helpers.sql
select plan(6);

select given_model() as m \gset
create function state(p_model text) returns text language sql
as $$ select concat_ws(', ', state, state_reason, case when isfinite(state_until) then 'ends' end)
      from sluice.queues where model = p_model $$;
select is(state(:'m'), 'open', 'nothing keeps its calls back');
select sluice.move_breaker(id_of(:'m'), 'closed', 'open', 'down', clock_timestamp()) \g /dev/null
select is(state(:'m'), 'breaker open, down, ends', 'an open breaker does');
select sluice.move_breaker(id_of(:'m'), 'open', 'half_open', 'one at a time',
  clock_timestamp()) \g /dev/null
select is(state(:'m'), 'half open, one at a time', 'a half-open one nearly');
select sluice.close_model(:'m', clock_timestamp() + interval '1 hour', '429');
select is(state(:'m'), 'closed, 429, ends', 'closed for a time');
select sluice.close_model(:'m', 'infinity', 'credential: HTTP 401');
select is(state(:'m'), 'parked, credential: HTTP 401', 'parked until somebody resumes it');
select sluice.pause(:'m');
select is(state(:'m'), 'paused', 'paused');

select * from finish();
rollback;
