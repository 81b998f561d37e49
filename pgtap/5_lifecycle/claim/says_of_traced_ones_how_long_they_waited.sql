-- sluice.leased_tasks
begin;
\ir ../../_helpers.sql
select plan(5);

select given_model() as m \gset
select given_worker() as w \gset
create function waited(p_worker bigint, p_now timestamptz) returns bigint language sql
as $$ select queued_ms from sluice.claim(p_worker, null, 1, p_now) $$;
select sluice.submit('p', :'m', traceparent => '00-abc', p_now => at(0)) as t \gset
select is(waited(:w, at(1.5)), 1500::bigint, 'since its submit');
select is((select queued_ms from sluice.requests(:w)), 1500::bigint,
  'which does not change while it is held');
select completed(:w, told(:t, 'returned')) \g /dev/null
select is(waited(:w, at(4)), 4000::bigint, 'a call that was handed back does not count');
select completed(:w, told(:t, 'retry', 2, error => 'HTTP 500'), at(5)) \g /dev/null
select sluice.wake(at(1000)) \g /dev/null
select is(waited(:w, at(1002)), 2000::bigint, 'since its retry was due');
select given_task(:'m', p_now => at(1002)) \g /dev/null
select is(waited(:w, at(1003)), null, 'without a traceparent nobody asks');

select * from finish();
rollback;
