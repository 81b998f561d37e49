-- sluice.complete
begin;
\ir ../../_helpers.sql
select plan(8);

select given_model() as m \gset
select given_worker() as w \gset
select given_worker() as other \gset
select given_task(:'m') as t \gset
select claimed(:w, 1) \g /dev/null
update sluice.worker set dead_at = at(2) where id = :w;
select sluice.recover(null, at(2)) \g /dev/null
select claimed(:other, 1, at(3)) \g /dev/null
select is(completed(:w, told(:t, 'solved', answer => 'late')), false,
  'another worker has the task now');
select is(places(:t), 'lease', 'nothing changed');
select is(completed(:w, told(:t, 'solved', answer => 'late')), false, 'nor when it is told again');
select results_eq(format('select kind, answer, worker, fence from sluice.attempt '
                         'where task_id = %s and kind = ''late''', :t),
  format('values (''late''::text, ''late''::text, %s::bigint, 1)', :w),
    'what somebody paid for is kept, once');
select is(completed(:other, told(:t, 'solved', 2, answer => 'right')), true,
  'who has the task applies its own');
select is((select answer from sluice.result where task_id = :t), 'right', 'and that is the result');
select given_worker() as liar \gset
select completed(:liar, told(:t, 'solved', fence, answer => 'forged', error => 'forged',
    error_code => 'forged', http_status => 200, input_tokens => 2147483647, billed => true))
  from generate_series(1, 3) fence \g /dev/null
select is((select array_agg(a.a) from (
    select distinct jsonb_strip_nulls(to_jsonb(a))
      - '{id,task_id,worker,fence,ended_at,kind}'::text[] as a from sluice.attempt a
    where a.worker = :liar) a), array['{}'::jsonb],
  'who never had the call is not believed a word');
select is(completed(:w, told(0, 'solved')), false, 'of a task that there is not nothing is kept');

select * from finish();
rollback;
