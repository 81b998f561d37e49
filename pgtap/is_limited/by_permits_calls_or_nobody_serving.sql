begin;
\ir ../_helpers.sql
select plan(5);

select given_model() as free \gset
select given_model(max_in_flight => 1) as full \gset
select given_model(rpm => 1) as dry \gset
select given_worker(array[m]) from unnest(array[:'free', :'full', :'dry']) m \g /dev/null
create function limited(p_model text) returns boolean language sql as $$ select sluice.is_limited(model_row(p_model), at(2)) $$;
select ok(limited(:'free'), 'nothing in flight and nothing taken: nobody serves it');
select given_tasks(m, 2) from unnest(array[:'free', :'full', :'dry']) m \g /dev/null
select c.task_id from sluice.worker w, sluice.claim(w.id, w.models, 1, at(1)) c
where w.models && array[:'free', :'full', :'dry'] \g /dev/null
select ok(not limited(:'free'), 'a model in use is not, however many wait');
select ok(limited(:'full'), 'max_in_flight is reached');
select ok(limited(:'dry'), 'no permit is left');
select ok(not sluice.is_limited(model_row(:'dry'), at(3600)), 'but later there is');

select * from finish();
rollback;
