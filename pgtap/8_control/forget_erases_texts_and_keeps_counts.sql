begin;
\ir ../_helpers.sql
select plan(8);

select given_model() as m \gset
select given_worker() as w \gset
select sluice.submit(model => :'m', request => '{"messages": "secret"}',
  metadata => '{"who": "secret"}', traceparent => 'secret',
  idempotency_key => 'forget-' || pg_backend_pid(), p_now => at(0)) as t \gset
select claimed(:w, 1) \g /dev/null
select sluice.complete(:w, array[row(:t, 1, 'failed', 'secret', 'secret', 'secret', 'http_400', 400,
  null, 7, 8, true)::sluice.outcome], at(2)) \g /dev/null
select completed(:w, told(:t, 'solved', 9, answer => 'secret'), at(2)) \g /dev/null
select sluice.forget(:t, at(3));
select unalike((select string_agg(t::text, '') from sluice.task t where id = :t), '%secret%',
  'nothing is left in the task');
select unalike((select string_agg(r::text, '') from sluice.result r where task_id = :t), '%secret%',
  'nor in its result');
select unalike((select string_agg(a::text, '') from sluice.attempt a where task_id = :t),
  '%secret%', 'nor in its attempts');
select results_eq(format('select status, error_code, attempts, input_tokens, output_tokens, '
                         'finished_at from sluice.task(%s)', :t),
  $$values ('failed'::text, 'http_400'::text, 1, 7, 8, at(2))$$, 'codes, counts and times stay');
select is(sluice.submit(model => :'m', request => '{"messages": "secret"}',
  idempotency_key => 'forget-' || pg_backend_pid()), :t::bigint, 'its key stays bound to it');
select lives_ok(format('select sluice.forget(%s)', :t), 'to forget twice is no error');
select is((error_of(format('select sluice.redrive(%s)', :t))).code, 'SL004',
  'it cannot be redriven');
select completed(:w, told(:t, 'solved', 3, answer => 'secret'), at(4)) \g /dev/null
select unalike((select string_agg(a::text, '') from sluice.attempt a where task_id = :t),
  '%secret%', 'a late answer is not kept');

select * from finish();
rollback;
