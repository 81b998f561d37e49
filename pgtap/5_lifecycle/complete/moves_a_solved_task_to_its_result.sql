begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
update sluice.models set input_price = 2, output_price = 10, keep_response = true where name = :'m';
select given_worker() as w \gset
select given_task(:'m') as t \gset
select claimed(:w, 1) \g /dev/null
select results_eq(format($$select *
    from sluice.complete(%s, array[row(%s, 1, 'solved', 'forty-two', '{"raw": 1}', null, null, 200,
  null, 1000, 500, true)::sluice.outcome], at(3))$$, :w, :t),
    format('values (%s::bigint, 1, true)', :t), 'it holds');
select is(places(:t), 'solved', 'the result is its only place');
select results_eq(format('select answer, response, worker, attempts::int, http_status::int,
  input_tokens, output_tokens, cost,
    model, created_at, queued_at, started_at, finished_at, fence from sluice.result
      where task_id = %s', :t),
  format($$values ('forty-two'::text, '{"raw": 1}'::text, %s::bigint, 1, 200, 1000, 500, 0.007,
    %L::text, at(0), at(0), at(1), at(3), 1)$$, :w, :'m'), 'with all that is known about it');
select is_empty(format('select * from sluice.attempt where task_id = %s', :t),
  'a call that went well is no attempt');

select * from finish();
rollback;
