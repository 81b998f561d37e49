begin;
\ir ../_helpers.sql
\ir ../_batches.sql
select plan(6);

select given_speaker() as chat, given_speaker('openai-embeddings') as other \gset
select given_route(:'chat') as good, given_route(:'chat', :'other') as mixed \gset
select is(sluice.model_fault(:'chat', 'openai-chat'), null, 'a model that speaks it');
select is(sluice.model_fault(:'good', 'openai-chat'), null, 'a route of such');
select is(sluice.model_fault(:'other', 'openai-chat'), 'The model does not take requests of this endpoint.', 'another model');
select is(sluice.model_fault(:'mixed', 'openai-chat'), 'The model does not take requests of this endpoint.', 'a route with another');
select is(sluice.model_fault('nobody', 'openai-chat'), 'There is no such model.', 'none');
select is(sluice.model_fault('', 'openai-chat'), 'There is no such model.', 'no name');

select * from finish();
rollback;
