begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select sluice.submit_many(jsonb_build_array(jsonb_build_object('model', :'m', 'prompt', 'p',
  'priority', 5, 'tenant', 'acme',
  'run_at', at(1), 'deadline', at(9), 'idempotency_key', 'key of same arguments', 'max_attempts', 7,
    'max_output_tokens', 100,
  'metadata', '{"k": "v"}'::jsonb, 'batch_id', 42, 'traceparent', '00-abc',
  'affinity_key', 'chat')), at(0)) as t \gset
select results_eq(
  format('select prompt, priority::int, tenant, run_at, deadline, max_attempts::int,
    max_output_tokens, metadata, batch_id,
    traceparent, affinity_key, created_at, model from sluice.task where id = %s', :t),
  format($$values ('p'::text, 5, 'acme'::text, at(1), at(9), 7, 100, '{"k": "v"}'::jsonb,
    42::bigint, '00-abc'::text, 'chat'::text, at(0), %s)$$, id_of(:'m')), 'nothing is lost');
select is(places(:t), 'later', 'and run_at is waited for');
select is((select array_agg(proargnames[i] order by proargnames[i]) from pg_proc,
  generate_series(1, 15) i
           where oid = 'sluice.submit'::regproc),
  (select array_agg(attname::text order by attname::text) from pg_attribute
    where attrelid = 'sluice.task_draft'::regclass),
  'the keys are exactly submit''s arguments');
select results_eq($$select model, priority, tenant from sluice.draft_of(null)$$,
  $$values (null::text, 0, 'default'::text)$$, 'so are the defaults');

select * from finish();
rollback;
