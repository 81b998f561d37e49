begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(7);

select given_speaker() as chat, given_speaker('openai-embeddings') as other \gset
select given_route(:'chat') as good, given_route(:'chat', :'other') as mixed \gset
select is(sluice.model_fault(:'chat', 'openai-chat', null), null, 'a model that speaks it');
select is(sluice.model_fault(:'good', 'openai-chat', null), null, 'a route of such');
select is(sluice.model_fault(:'other', 'openai-chat', null),
  format('The model "%s" does not take requests of this endpoint.', :'other'), 'another model');
select is(sluice.model_fault(:'mixed', 'openai-chat', null),
  format('The model "%s" does not take requests of this endpoint.', :'mixed'),
    'a route with another');
select is(sluice.model_fault('nobody', 'openai-chat', null), 'There is no model "nobody".', 'none');
insert into sluice.tenants (name, models) values ('tenant ' || pg_backend_pid(), '{}');
select is(sluice.model_fault(:'chat', 'openai-chat', 'tenant ' || pg_backend_pid()),
  format('This tenant may not use the model "%s".', :'chat'), 'one that the tenant may not use');
select is(sluice.model_fault('', 'openai-chat', null), 'There is no model "".', 'no name');

select * from finish();
rollback;
