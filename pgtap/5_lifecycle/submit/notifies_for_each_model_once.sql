-- sluice.store_drafts
begin;
\ir ../../_helpers.sql
select plan(1);

select given_model() as a \gset
select given_model() as b \gset
select sluice.submit_many(
  jsonb_build_array(jsonb_build_object('prompt', 'x', 'model', :'a'))) \g /dev/null
select is(array[shares_lock(:'a'), shares_lock(:'b')], array[true, false],
  'for models that got a task');

select * from finish();
rollback;
