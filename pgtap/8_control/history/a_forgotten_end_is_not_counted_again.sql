begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_history.sql
select plan(6);

select given_model() as m \gset
select given_looks();
select given_end(:'m', 'solved', at(1)) as counted_end, given_end(:'m', 'retry', at(2)) as t \gset
select sluice.cancel(:t, at(5)) \g /dev/null
select sluice.count_ends(at(10)) \g /dev/null
select given_end(:'m', 'failed', at(3)) as late_end \gset
select pg_current_xact_id()::text::bigint as xid, sluice.next_xid() as next_xid \gset
select cmp_ok(:next_xid, '>=', :xid, 'transactions are numbered with their epoch');
-- Their rows are written anew by another transaction than the one that stored them: as if, here.
select sluice.forget(id, at(11)) from unnest(array[:counted_end, :t, :late_end]) id \g /dev/null
select is((select array_agg(distinct stored_by) from sluice.result
    where task_id in (:counted_end, :t, :late_end)), array[:xid::bigint],
  'they keep which transaction stored them');
select is((select stored_by from sluice.attempt where task_id = :t), :xid::bigint,
  'so do attempts');
update sluice.history_look
set counted = '{}', seen = format('%s:%s:', :xid + 1, :xid + 1)::pg_snapshot;
select is(sluice.count_ends(at(20)), 0::bigint, 'a look that saw it does not count them again');
update sluice.history_look
set counted = '{}', seen = format('%s:%s:', :xid - 1, :xid)::pg_snapshot;
update sluice.result set stored_by = :xid - 2 where task_id = :counted_end;
select is(sluice.count_ends(at(30)), 2::bigint, 'one that did not see it counts them, only these');
select sluice.forget(:late_end, at(31));
select is((select stored_by from sluice.result where task_id = :late_end), :xid::bigint,
  'to forget again changes nothing of it');

select * from finish();
rollback;
