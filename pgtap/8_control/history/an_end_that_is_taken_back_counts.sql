begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_history.sql
select plan(7);

select given_model() as m, given_model() as n, given_model() as o \gset
select given_looks();
select given_end(:'m', 'failed', at(1), p_input_tokens => 5) as before \gset
select sluice.count_ends(at(10)) \g /dev/null
select sluice.redrive(:before, at(11)) \g /dev/null
select is(sluice.count_ends(at(20)), 0::bigint, 'it was counted before it was taken back');
select given_end(:'n', 'failed', at(21), p_input_tokens => 5) as failed,
  given_task(:'n', p_now => at(21)) as cancelled \gset
select sluice.cancel(:cancelled, at(24)) \g /dev/null
select sluice.redrive(id, at(25)) from unnest(array[:failed, :cancelled]) id \g /dev/null
select is(sluice.count_ends(at(30)), 2::bigint, 'one that was taken back before it was counted is');
select is(counted(:'n'), '0 1 1 0', 'as the end that it was');
select is(sluice.count_ends(at(40)), 0::bigint, 'once');
select claimed(given_worker(array[:'m'], at(41)), 3, at(41)) \g /dev/null
select completed(worker, told(task_id, 'solved', fence, input_tokens => 7), at(42))
from sluice.lease where task_id = :before \g /dev/null
select sluice.count_ends(at(50)) \g /dev/null
select is((select row(solved, failed, cancelled, retries, input_tokens)::text
    from sluice.history_of('day', at(-100000), at(100), :'m')), row(1, 1, 0, 0, 12)::text,
  'its second end counts as well, and no call as a retry');
select given_end(:'o', 'failed', at(69)) as failed \gset
select sluice.redrive(:failed, at(72)) \g /dev/null
select is(sluice.count_ends(at(71)), 0::bigint,
  'one that is younger than the look is for the next');
select is(sluice.count_ends(at(80)) + sluice.count_ends(at(90)), 1::bigint,
  'which counts it, once');

select * from finish();
rollback;
