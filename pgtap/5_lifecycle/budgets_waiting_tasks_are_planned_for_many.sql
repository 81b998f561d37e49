-- sluice.waiting_by_turns, sluice.wake_all_waiting
-- The attack: `later` was last vacuumed when it was empty, then many tasks wait for a budget: each
-- that a look picked was compared with all of them, 3 s a look at 30,000.
begin;
\set alone
\ir ../_helpers.sql
\ir ../_budgets.sql
select plan(5);

select given_priced_model() as m \gset
select given_budget('model', :'m', 1000) as b \gset
insert into sluice.later (task_id, ready_at, model, request_bytes, fence, rank, attempts, tenant)
select -n, at(900), id_of(:'m'), 1, 0, 0, 0, 'a' from generate_series(1, 20000) n;
insert into sluice.budget_wait (task_id, budget, until, reason, need, rank, tenant)
select -n, (budget_row(:'b')).id, at(900), 'x', 100, 0, 'a' from generate_series(1, 20000) n;
update pg_class set reltuples = 0, relpages = 1 where oid = 'sluice.later'::regclass;
select clock_timestamp() as started \gset
select is((select count(*) from sluice.waiting_by_turns((budget_row(:'b')).id, 1000, at(1))),
  1101::bigint, 'a thousand and the hundred that need least');
select ok(clock_timestamp() - :'started'::timestamptz < interval '0.5 s', 'soon');
select clock_timestamp() as started \gset
select is(sluice.wake_all_waiting(array[(budget_row(:'b')).id], null, at(2), ''), 20000,
  'all go on');
select is_empty('select from sluice.budget_wait where task_id < 0', 'and are forgotten');
select ok(clock_timestamp() - :'started'::timestamptz < interval '2 s', 'soon, too');

select * from finish();
rollback;
