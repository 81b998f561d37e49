begin;
\ir ../../_helpers.sql
select plan(1);

select given_model() as m \gset
select sluice.submit('p', :'m', 5, 'acme', at(1), at(9), 'key of stores_every_argument',
  7, null, 100, '{"k": "v"}', 42, '00-abc', null, 'chat', at(0)) as t \gset
select results_eq(
  format('select prompt, priority::int, tenant, run_at, deadline, max_attempts::int,
    max_output_tokens, metadata, batch_id,
    traceparent, affinity_key, created_at, model from sluice.task where id = %s', :t),
  format($$values ('p'::text, 5, 'acme'::text, at(1), at(9), 7, 100, '{"k": "v"}'::jsonb,
    42::bigint, '00-abc'::text, 'chat'::text, at(0), %s)$$, id_of(:'m')), 'nothing is lost');

select * from finish();
rollback;
