begin;
\ir ../../_helpers.sql
select plan(2);

select results_eq($$select e, sluice.endpoint_api(e)
  from unnest(array['/v1/chat/completions', '/v1/responses', '/v1/embeddings',
    '/v1/messages', '/v1/completions', '/V1/messages', null]) e$$,
  $$values ('/v1/chat/completions', 'openai-chat'), ('/v1/responses', 'openai-responses'),
    ('/v1/embeddings', 'openai-embeddings'),
    ('/v1/messages', 'anthropic-messages'), ('/v1/completions', null), ('/V1/messages', null),
      (null, null)$$, 'others have none');
select is_empty($$select
  from unnest(array['/v1/chat/completions', '/v1/responses', '/v1/embeddings', '/v1/messages']) e
  where not (select pg_get_constraintdef(oid) from pg_constraint where conname = 'api_is_known'
    and conrelid = 'sluice.models'::regclass)
    like '%' || quote_literal(sluice.endpoint_api(e)) || '%'$$, 'and models speak them');

select * from finish();
rollback;
