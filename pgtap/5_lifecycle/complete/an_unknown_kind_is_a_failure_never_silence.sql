-- sluice.complete
begin;
\ir ../../_helpers.sql
select plan(5);

select given_model() as m \gset
select given_worker() as w \gset
select given_task(:'m') as t from generate_series(1, 2) \g /dev/null
select ids[1] as a, ids[2] as b from claimed(:w, 2) ids \gset
select is(completed(:w, told(:a, 'sovled')), true, 'a misspelt kind ends the call');
select is(places(:a), 'failed', 'as a failure');
select isnt((select error from sluice.result where task_id = :a), null, 'which says why');
select completed(:w, told(:b, null)) \g /dev/null
select is(places(:b), 'failed', 'and so does none');
select is((select count(*) from sluice.attempt where task_id in (:a, :b)), 2::bigint,
  'both calls are noted');

select * from finish();
rollback;
