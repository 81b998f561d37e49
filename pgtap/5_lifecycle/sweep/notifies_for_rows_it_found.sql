begin;
\set alone
\ir ../../_helpers.sql
select plan(4);

-- Somebody may sleep by now: the submit's own notification came before its row could be seen.
select setval('sluice.sweep_after', 0, false) \g /dev/null
select given_model() as m \gset
select given_model() as other \gset
select given_row(:'m', at(0));
select given_mark(:'m', at(10));
select ok(not shares_lock(:'m'), 'nobody was notified yet');
select is(sluice.sweep(at(11)), 1, 'the sweep finds a row');
select ok(shares_lock(:'m'), 'and notifies for its model');
select ok(not shares_lock(:'other'), 'for no other');

select * from finish();
rollback;
