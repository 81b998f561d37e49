begin;
\ir ../_helpers.sql
\ir ../_batches.sql
select plan(6);

select given_speaker() as chat, given_speaker('openai-embeddings') as other \gset
select given_route(:'chat') as good, given_route(:'chat', :'other') as mixed \gset
select is(sluice.model_fault(:'chat', 'openai-chat'), null, 'a model that speaks it');
select is(sluice.model_fault(:'good', 'openai-chat'), null, 'a route of such');
select is(sluice.model_fault(:'other', 'openai-chat'),
  format('The model "%s" does not take requests of this endpoint.', :'other'), 'another model');
select is(sluice.model_fault(:'mixed', 'openai-chat'),
  format('The model "%s" does not take requests of this endpoint.', :'mixed'), 'a route with another');
select is(sluice.model_fault('nobody', 'openai-chat'), 'There is no model "nobody".', 'none');
select is(sluice.model_fault('', 'openai-chat'), 'There is no model "".', 'no name');

select * from finish();
rollback;
