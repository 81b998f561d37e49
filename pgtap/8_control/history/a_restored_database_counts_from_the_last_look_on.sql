begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_history.sql
select plan(3);

select given_model() as m \gset
select given_looks();
select given_end(:'m', 'solved', at(1)) \g /dev/null
select sluice.count_ends(at(10)) \g /dev/null
select given_end(:'m', 'failed', at(12)) \g /dev/null
-- In another cluster the transactions of the look mean others; and the table is another one.
update sluice.history_look set place = 0, seen = '5:5:', counted = '{}';
select is(sluice.count_ends(at(20)), 1::bigint, 'what ended after the last look is counted');
select is(counted(:'m'), '1 1 0 0', 'what ended before it is not counted again');
select is((select place from sluice.history_look), 'sluice.history_look'::regclass::oid,
  'it has its own look then');

select * from finish();
rollback;
