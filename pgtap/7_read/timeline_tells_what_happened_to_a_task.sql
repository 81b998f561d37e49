begin;
\ir ../_helpers.sql
select plan(10);

select given_tenant('sluice_submitter') as a, given_tenant('sluice_submitter') as b \gset
select given_model(max_attempts => 2) as m \gset
update sluice.models set backoff_base = '1 ms', backoff_max = '1 ms' where name = :'m';
select given_worker(array[:'m']) as w \gset
select sluice.submit('x', :'m', tenant => :'a', run_at => at(10), p_now => at(0)) as t \gset
create function told_of(p_task bigint) returns text[] language sql
as $$ select array(select concat_ws(' ', kind, status,
    extract(epoch from at - at(0))::numeric(9, 1)::text, fence) from sluice.timeline(p_task)) $$;
select is(told_of(:t), array['submitted 0.0', 'waits_until 10.0'], 'it waits for its time');
select sluice.wake(at(11)) \g /dev/null
select claimed(:w, 1, at(12)) \g /dev/null
select is(told_of(:t), array['submitted 0.0', 'waits_until 10.0',
  'queued 11.0', 'claimed 12.0 2'],
  'a worker has it');
select completed(:w, told(:t, 'retry', 2, error => 'HTTP 500', http_status => 500,
  billed => true), at(20)) \g /dev/null
select sluice.wake(at(30)) \g /dev/null
select claimed(:w, 1, at(31)) \g /dev/null
select completed(:w, told(:t, 'failed', 3, error => 'HTTP 400', http_status => 400,
  error_code => 'http_400'), at(40)) \g /dev/null
select is(array(select concat_ws(' ', kind, status, fence, http_status, error_code)
  from sluice.timeline(:t) where kind not in ('queued')),
  array['submitted', 'waits_until', 'claimed 2', 'retry 2 500', 'claimed 3',
    'failed 3 400 http_400', 'ended failed 3 400 http_400'], 'it was called again, and failed');
select is((select (wait_s, call_s, worker, model, billed) from sluice.timeline(:t)
  where kind = 'retry'), (null::double precision, 8::double precision, 'test'::text, :'m'::text,
  true), 'how long a call took, and whose it was');
select is((select wait_s from sluice.timeline(:t) where kind = 'claimed' and fence = 2),
  2::double precision, 'how long it waited for it');
select sluice.redrive(:t, at(50)) \g /dev/null
select is(array(select concat_ws(' ', kind, status) from sluice.timeline(:t)
  where at >= at(40)), array['failed', 'ended', 'redriven', 'queued'],
  'a redrive takes the end back');
select is(array(select wait_s from sluice.timeline(:t) where kind = 'claimed' order by at),
  array[2, 11]::double precision[], 'and each claim has waited as long as before');
select is((error_of('select * from sluice.timeline(-1)')).code, 'SL006', 'there is no such task');
set local role :"b";
select is((error_of(format('select * from sluice.timeline(%s)', :t))).code, 'SL006',
  'nor for another tenant');
set local role :"a";
select is((select count(*) from sluice.timeline(:t) where kind = 'submitted'), 1::bigint,
  'its own may read it');
-- plain_event, events_of_calls, events_of_place, events_of_result

select * from finish();
rollback;
