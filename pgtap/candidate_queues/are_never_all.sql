begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as a \gset
select given_model() as b \gset
select given_model() as c \gset
select given_route(:'a', :'b') as r \gset
select is(sluice.candidate_queues(1, id_of(:'c'), null, 1), array[id_of(:'c')], 'a model''s task: its queue');
select is(sluice.candidate_queues(1, null, :'r', 1), array[id_of(:'a'), id_of(:'b')], 'a route''s task: those of its models');
select is(sluice.candidate_queues(1, null, 'nowhere', 1), '{}', 'a route that is gone: none');

select * from finish();
rollback;
