begin;
\ir ../../_helpers.sql
select plan(5);

select given_model(rpm => 20) as m \gset
select given_worker() as w \gset
select id_of(:'m') as id \gset
select is(sluice.claim_from(:id, :w, 10, at(1)), '{}', 'no rows');
select given_tasks(:'m', 3) \g /dev/null
select is(sluice.claim_from(:id, :w, 0, at(1)), '{}', 'none wanted');
select is(cardinality(sluice.claim_from(:id, :w, 10, at(1))), 1, 'one permit, one lease');
select is(sluice.claim_from(:id, :w, 10, at(1)), '{}', 'no permit');
select is_empty($$select * from sluice.lease where task_id not in (select id from sluice.task)$$,
  'each lease has its task');

select * from finish();
rollback;
