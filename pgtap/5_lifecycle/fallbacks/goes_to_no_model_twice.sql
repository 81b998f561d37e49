-- sluice.fallback_of
begin;
\ir ../../_helpers.sql
select plan(10);

select given_model() as a, given_model() as b, given_model() as c \gset
select given_route(:'a', :'c') as r \gset
insert into sluice.fallbacks values (:'a', 'context_too_long', :'b'),
  (:'b', 'context_too_long', :'a'), (:'b', 'content_refused', :'c'),
  (:'r', 'content_refused', :'b');
select given_worker(array[:'a', :'b', :'c']) as w \gset
-- next_of: to which model a task would go.
create function next_of(p_task bigint, p_from text, p_cause text) returns text language sql
as $$ select (sluice.fallback_of(sluice.facts_of(t), model_row(p_from), p_cause)).name
  from sluice.task t where t.id = p_task $$;
select given_task(:'a') as t, given_task(:'r') as routed \gset
select is(next_of(:t, :'a', 'context_too_long'), :'b', 'by the cause');
select is(next_of(:t, :'a', 'over_budget'), null, 'of another cause there is none');
select is(next_of(:routed, :'a', 'content_refused'), :'b', 'its route''s');
select is(next_of(:routed, :'a', 'context_too_long'), :'b', 'else its model''s');
insert into sluice.fallbacks values (:'r', 'context_too_long', :'c');
select is(next_of(:routed, :'a', 'context_too_long'), :'c', 'which comes after the route''s');

insert into sluice.attempt (task_id, ended_at, fence, kind, model, fallback_to)
values (:t, at(1), 1, 'rerouted', :'a', :'b');
select is(next_of(:t, :'b', 'context_too_long'), null, 'never back to a model that it has left');
select is(next_of(:t, :'b', 'content_refused'), :'c', 'but on to another');
insert into sluice.attempt (task_id, ended_at, fence, kind, redriven_at)
values (:t, at(2), 1, 'redriven', at(2));
select is(next_of(:t, :'b', 'context_too_long'), :'a', 'a redrive begins anew');
insert into sluice.attempt (task_id, ended_at, fence, kind, model, fallback_to)
select :t, at(3), 1, 'rerouted', 'gone ' || n, :'b'
from generate_series(1, 7) n;
select is(next_of(:t, :'b', 'context_too_long'), :'a', 'up to eight times');
insert into sluice.attempt (task_id, ended_at, fence, kind, model, fallback_to)
values (:t, at(3), 1, 'rerouted', 'gone', :'b');
select is(next_of(:t, :'b', 'context_too_long'), null, 'no more');

select * from finish();
rollback;
