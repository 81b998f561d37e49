begin;
\ir ../../_helpers.sql
select plan(8);

select given_model() as m \gset
select given_worker() as w \gset
select given_task(:'m', priority => 5) as t \gset
select claimed(:w, 1) \g /dev/null
select completed(:w, told(:t, 'failed', error => 'HTTP 400'), at(2)) \g /dev/null
select is(sluice.redrive(:t, at(10)), :t::bigint, 'the same id');
select is(places(:t), 'queue', 'it waits');
select results_eq(format('select fence, attempts::int, rank::int, ready_at from sluice.queue '
                         'where task_id = %s', :t),
  'values (1, 0, -5, at(10))', 'with its fence and priority, attempts from 0, behind what waits');
select results_eq(format('select kind, error, fence, started_at, ended_at from sluice.attempts '
                         'where task_id = %s order by id', :t),
  $$values ('failed'::text, 'HTTP 400'::text, 1, at(1), at(2)),
    ('redriven', 'HTTP 400', 1, at(1), at(2))$$,
  'the history keeps its call and its outcome');
select ok(shares_lock(:'m'), 'it notifies');
select results_eq(format('select task_id, fence, attempt from sluice.claim(%s, null, 1, at(12))',
  :w), format('values (%s::bigint, 2, 1)', :t), 'its next call has a new fence');
select is(completed(:w, told(:t, 'solved', 2), at(13)), true, 'whose answer');
select is(places(:t), 'solved', 'is its one result');

select * from finish();
rollback;
