begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_history.sql
select plan(9);

-- A look cannot but see the transaction that it is in; so that it looks as if it had been committed
-- after the look before, the snapshot of that one is made older.
select given_model() as m \gset
select given_looks();
select given_end(:'m', 'solved', at(1)) \g /dev/null
select sluice.count_ends(at(10)) \g /dev/null
select given_end(:'m', 'failed', at(2)) \g /dev/null
select is(sluice.count_ends(at(20)), 0::bigint,
  'what is older than a look that saw its transaction is counted');
select pg_current_xact_id()::text::bigint as xid \gset
update sluice.history_look
set counted = '{}', seen = format('%s:%s:%1$s', :xid, :xid + 1)::pg_snapshot;
select is(sluice.count_ends(at(30)), 2::bigint, 'one that was under way then is not');
update sluice.history_look
set counted = '{}', seen = format('%s:%s:', :xid - 1, :xid)::pg_snapshot;
select is(sluice.count_ends(at(40)), 2::bigint, 'nor is one that had not begun');
-- A subtransaction is not named by the snapshot that runs beside it.
update sluice.history_look set counted = '{}', counted_from = :xid,
  seen = format('%s:%s:%1$s', :xid - 1, :xid + 1)::pg_snapshot;
select is(sluice.count_ends(at(50)), 2::bigint,
  'nor one that the snapshot does not name, and the look did not count');
select is((select counted from sluice.history_look), array[:xid::bigint],
  'it names what it has counted');
update sluice.history_look set counted = '{}', counted_from = :xid + 1,
  seen = format('%s:%s:%1$s', :xid - 1, :xid + 1)::pg_snapshot;
select is(sluice.count_ends(at(60)), 0::bigint,
  'below what the look has named, the snapshot decides');
select is(sluice.is_counted(9, '10:20:', '{}', 0), true,
  'what is older than all that ran is counted');

select is((select since from sluice.history_look) <= at(60) - interval '1 minute', true,
  'it looks again at what ended since the look before');
update sluice.history_look set marked_xid = 9223372036854775807;
select sluice.count_ends(at(10000)) \g /dev/null
select is((select since from sluice.history_look), at(10000) - sluice.history_wait(),
  'for history_wait() at most, whatever is still under way');

select * from finish();
rollback;
