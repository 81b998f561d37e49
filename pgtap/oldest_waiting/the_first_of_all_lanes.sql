begin;
\set alone
\ir ../_helpers.sql
select plan(2);

select given_model(max_queue => 1) as m \gset
select is(sluice.oldest_waiting('backlog_' || id_of(:'m')), null, 'nobody waits');
select given_task(:'m', 0, at(0)), given_task(:'m', 5, at(7)), given_task(:'m', 0, at(5)), given_task(:'m', run_at => at(3)) \g /dev/null
update sluice.backlog set due = true, ready_at = at(6) where model = id_of(:'m') and rank = -5;
select is(sluice.oldest_waiting('backlog_' || id_of(:'m')), (select min(ready_at) from sluice.backlog where due and model = id_of(:'m')),
  'whatever their priority; those for later are not ready');

select * from finish();
rollback;
