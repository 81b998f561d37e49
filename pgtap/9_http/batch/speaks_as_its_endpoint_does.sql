begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(2);

select is(sluice.shown_batch(batch_as('{"id": 1, "phase": "run", "endpoint": "/v1/messages"}'))
  ->> 'id', 'msgbatch_1', 'Anthropic''s');
select is(sluice.shown_batch(batch_as('{"id": 1, "phase": "run", "endpoint": "/v1/responses"}'))
  ->> 'id', 'batch_1', 'OpenAI''s');

select * from finish();
rollback;
