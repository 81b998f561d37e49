begin;
\set alone
\ir ../_helpers.sql
select plan(16);

-- given_pace: calls of p_model took p_call_s and p_tokens each, three minutes ago.
create function given_pace(p_model text, p_call_s float8, p_tokens int default 0) returns void
language sql
as $$
  insert into sluice.history_row (step, at, model, tenant, called, call_s, input_tokens)
  values ('minute', at(-180), p_model, null, 10, 10 * p_call_s, 10 * p_tokens)
$$;

select is(sluice.workers_wanted(at(0)), 0, 'nothing to do');
select given_model() as m, given_model() as other \gset
select given_tasks(:'m', 500) \g /dev/null
select is(sluice.workers_wanted(at(0)), 1, 'while no call was measured: one');

select given_pace(:'m', 30);
select is((select (call_s, tokens) from sluice.call_pace(at(0)) where model = :'m'),
  (30::float8, 0::float8), 'a call takes half a minute');
select is((select (tasks, since) from sluice.ready_loads(at(0)) where model = id_of(:'m')),
  (500::float8, at(0)), 'and 500 tasks are ready');
select is(sluice.workers_wanted(at(0)), 1, 'two after the other in each of 250 places');
select is(sluice.workers_wanted(at(20)), 1, 'three quarters at once');
select is(sluice.workers_wanted(at(40)), 2, 'all at once: 40 s have gone');
insert into sluice.worker (id, name, slots, registered_at, seen, beating_since)
values (1, 'a', 100, at(40), at(40), at(40));
select is(sluice.workers_wanted(at(40)), 5, 'workers have so many slots as those that live');

update sluice.models set max_in_flight = 150 where name = :'m';
select is(sluice.workers_wanted(at(40)), 2, 'as many as the model may have in flight');
update sluice.models set max_in_flight = null, rpm = 60 where name = :'m';
select is(sluice.calls_max(model_row(:'m'), 30, null), 30::float8, 'what a quota begins in 30 s');
update sluice.models set rpm = null, tpm = 60000 where name = :'m';
select is(sluice.calls_max(model_row(:'m'), 30, 100), 300::float8, 'of tokens, too');
update sluice.models set tpm = null where name = :'m';
select sluice.pause(:'m');
select is(sluice.workers_wanted(at(40)), 0, 'none for a model that is not called');
select sluice.resume(:'m');

select given_route(:'m', :'other') as r \gset
select given_task(:'r', run_at => at(100)) \g /dev/null
select is((select sum(tasks) from sluice.ready_loads(at(0))), 500::float8, 'not due');
select is((select array_agg(tasks order by tasks) from sluice.ready_loads(at(100))),
  '{0.5,500.5}'::float8[], 'a route''s tasks are shared by weight, when they are due');

select is(sluice.calls_wanted(7, 0, 0, 1, 400), 7::float8, 'calls are never fewer than there are');
select is(sluice.calls_wanted(0, 100, 1e9, 5, 400), 100::float8, 'nor more than tasks');

select * from finish();
rollback;
