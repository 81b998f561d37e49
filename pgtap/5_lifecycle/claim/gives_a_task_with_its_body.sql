begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
update sluice.models set timeout = '7.5 s', api = 'openai-chat' where name = :'m';
select given_worker() as w \gset
select sluice.submit('p', :'m', max_output_tokens => 9, traceparent => '00-abc',
  p_now => at(0)) as t \gset
select results_eq(format('select * from sluice.claim(%s, null, 1, at(1))', :w),
  format($$values (%s::bigint, 1, 1, %L::text, null::int, 'openai-chat'::text, 'p'::text,
    null::text, 9, '00-abc'::text, 7500, 0, 1000::bigint, 1, null::text)$$, :t, :'m'),
    'all that a call needs');
select is(places(:t), 'lease', 'the task is leased, and nowhere else');
select results_eq(format('select worker, ready_at, started_at, fence, attempts::int '
                         'from sluice.lease where task_id = %s', :t),
  format('values (%s::bigint, at(0), at(1), 1, 0)', :w),
    'the lease says who has it and since when');
select is_empty(format('select * from sluice.claim(%s, null, 1, at(1))', :w),
  'nobody is given it twice');

select * from finish();
rollback;
