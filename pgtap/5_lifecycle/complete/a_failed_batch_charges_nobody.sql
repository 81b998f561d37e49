begin;
\ir ../../_helpers.sql
select plan(8);

select given_model(tpm => 60000) as m \gset
select id_of(:'m') as id \gset
select given_worker() as w \gset
select given_tasks(:'m', 3) as ids \gset
select (:'ids'::bigint[])[1] as a, (:'ids'::bigint[])[2] as b, (:'ids'::bigint[])[3] as c \gset
select claimed(:w, 3, at(1)) \g /dev/null
select sluice.tokens_spent(:id, at(1)) as reserved \gset
create function in_batch(p_task bigint, p_code text) returns sluice.outcome language sql
as $$ select row(p_task, 1, 'returned', null, null, 'HTTP 500', p_code, 500, null, null, null,
  null)::sluice.outcome $$;
select sluice.cancel(:c, at(2)) \g /dev/null
select sluice.complete(:w, array[in_batch(:a, 'http_500'), in_batch(:b, 'batch_failed'),
  in_batch(:c, 'batch_failed')], at(2)) \g /dev/null
select results_eq(format('select task_id, fence, attempts::int from sluice.queue '
                         'where model = %s order by 1', :id),
  format('values (%s::bigint, 1, 0), (%s::bigint, 1, 0)', :a, :b), 'back in the queue, uncharged');
select is(places(:c), 'cancelled', 'one that was cancelled meanwhile is not');
select results_eq(format('select task_id, kind, error_code, http_status::int from sluice.attempt '
                         'where task_id in (%s, %s) order by 1',
    :a, :b),
  format($$values (%s::bigint, 'returned', 'http_500', 500),
    (%s::bigint, 'returned', 'batch_failed', 500)$$, :a, :b),
  'each has a note of the call');
select is(sluice.counter('failures', :id), 1::bigint, 'it was one failure of the backend');
select is(sluice.tokens_spent(:id, at(2)), :reserved::bigint, 'it may have been billed');
select results_eq(format('select task_id, fence, attempt from sluice.claim(%s, null, 3, '
                         'at(3)) order by 1', :w),
  format('values (%s::bigint, 2, 1), (%s::bigint, 2, 1)', :a, :b),
    'the next claim tells that it was handed back once');
select completed(:w, told(:a, 'returned', 2), at(4)) \g /dev/null
select is((select count(*) from sluice.attempt where task_id = :a), 1::bigint,
  'a call that was never sent leaves none');
select is(sluice.counter('failures', :id), 1::bigint, 'and says nothing about the backend');

select * from finish();
rollback;
