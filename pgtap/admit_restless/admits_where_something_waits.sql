begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as a \gset
select given_model() as b \gset
select given_route(:'b') as r \gset
select given_worker(array[:'a', :'b']) as w \gset
select given_task(:'a', run_at => at(10)) as later \gset
select given_task(:'r') as routed \gset
select is(sluice.admit_restless(:w, at(1)), 1, 'what waits in a route');
select is(sluice.admit_restless(:w, at(10)), 1, 'and what has come due');
select is(array[places(:later), places(:routed)], '{queue,queue}', 'both are queued');

select * from finish();
rollback;
