begin;
\ir ../../_helpers.sql
select plan(1);

select given_model() as m \gset
select given_worker() as w \gset
select given_task(:'m') as t \gset
select claimed(:w, 1) \g /dev/null
select sluice.complete(:w, array[row(:t, 1, 'retry', null, null, 'HTTP 500', 'http', 500, null, 10,
  20, true)::sluice.outcome], at(2)) \g /dev/null
select results_eq(format('select kind, model, worker, http_status::int, error_code, error, billed,
  input_tokens, output_tokens, started_at, ended_at from sluice.attempts where task_id = %s', :t),
  format($$values ('retry'::text, %L::text, %s::bigint, 500, 'http'::text, 'HTTP 500'::text, true,
    10, 20, at(1), at(2))$$, :'m', :w), 'the whole call');

select * from finish();
rollback;
