-- sluice.closed_then_text
begin;
\ir ../../_helpers.sql
select plan(5);

set local timezone = 'UTC';
select given_model() as m \gset
select given_worker(array[:'m']) as w, given_task(:'m') as t \gset
select claimed(:w, 1) \g /dev/null
select sluice.complete(:w, array[row(:t, 1, 'retry', null, null, 'no answer', 'timeout', null,
  10000, null, null, null)::sluice.outcome], at(2)) \g /dev/null
select format('waits until 00:00:12 to retry on %s: attempt 2 of 3 is next, '
              'the last one failed with timeout', :'m') as retry \gset
select sluice.move_breaker(id_of(:'m'), 'closed', 'open', '5 failures in a row', at(1)) \g /dev/null
select is(sluice.explain(:t, at(3)),
  :'retry' || '; then the breaker is open until 00:00:31 (5 failures in a row)',
  'the breaker opens later');
update sluice.models set breaker_open = '5 s' where name = :'m';
select is(sluice.explain(:t, at(3)), :'retry', 'it has by then opened');
update sluice.models set closed_until = at(60), closed_reason = 'HTTP 429' where name = :'m';
select is(sluice.explain(:t, at(3)),
  :'retry' || '; then the model is closed until 00:01:00 (HTTP 429)', 'a closure');

select sluice.configure_route('r', jsonb_build_object(:'m', 1)) \g /dev/null
select (sluice.submit('p', 'r', run_at => at(20), p_now => at(3))) as routed \gset
select is(sluice.explain(:routed, at(3)),
  format('waits until 00:00:20 (run_at) for r; then none of its models is open; '
         '%s will be at 00:01:00', :'m'),
  'a route without an open model');
select sluice.resume(:'m') \g /dev/null
select is(sluice.explain(:routed, at(3)), 'waits until 00:00:20 (run_at) for r', 'and with one');

select * from finish();
rollback;
