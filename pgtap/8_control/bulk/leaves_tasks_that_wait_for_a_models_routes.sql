begin;
\ir ../../_helpers.sql
select plan(6);

select given_model() as a, given_model() as b \gset
select given_route(:'a', :'b') as r \gset
select given_worker(array[:'a']) as w \gset
select given_task(:'r') as called, given_task(:'r') as waits,
  given_task(:'r', run_at => at(99)) as later \gset
select is(claimed(:w, 1), array[:called]::bigint[], 'the model is called for one of its route''s');
select given_task(:'a') as named \gset
select is(sluice.cancel_all(:'a', p_now => at(1)), 2::bigint,
  'a model''s name: what named it, and what it is called for');
select is(places(:named), 'cancelled', 'the one has ended');
select is((select array_agg(task_id) from sluice.heartbeat(:w, at(2))), array[:called]::bigint[],
  'the other is aborted');
select is(array[places(:waits), places(:later)], '{queue,later}',
  'what waits for the route is no model''s: another one may take it');
select is(sluice.cancel_all(:'r', p_now => at(2)), 2::bigint, 'the route''s name ends that');

select * from finish();
rollback;
