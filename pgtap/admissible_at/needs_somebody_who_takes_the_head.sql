begin;
\ir ../_helpers.sql
select plan(4);

-- The route's head draws "full", which moves; "idle" has no work and cannot get any.
select given_model(max_queue => 1) as full \gset
select given_model() as idle \gset
select given_route(:'full', :'idle') as r \gset
update sluice.routes set weight = 0.000001 where route = :'r' and model = :'idle';
select given_worker(array[:'full']) as w \gset
select given_tasks(:'r', 2) \g /dev/null
select claimed(:w, 1, at(1)) \g /dev/null
select is(sluice.admit(:'full', null, at(1)), 1, 'its queue is full again');
select given_tasks(:'r', 1) \g /dev/null
select is(sluice.admissible_at(model_row(:'idle'), at(1)), null, 'the other has nothing to admit: it may sleep');
select is(sluice.admit(:'idle', null, at(1)), 0, 'indeed');
update sluice.models set paused = true where name = :'full';
select is(sluice.admissible_at(model_row(:'idle'), at(1)), at(1), 'unless the first one cannot take it');

select * from finish();
rollback;
