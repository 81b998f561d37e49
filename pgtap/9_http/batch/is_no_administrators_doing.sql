begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(2);

select given_speaker() as m \gset
select given_batch(:'m', 1) as b \gset
select advanced(:b, 'run') \g /dev/null
select (tasks_of_batch(:b))[1] as task \gset
select max(id) as last from sluice.audit \gset
set local role sluice_admin;
select sluice.cancel_batch(:b, null, false, at(2)) \g /dev/null
select sluice.advance_batches(at(2)) \g /dev/null
reset role;
select is(places(:task), 'cancelled', 'its tasks are cancelled');
select is_empty(format('select from sluice.audit where object in (%L, %L)', :task, :b),
  'without a word in the audit');

select * from finish();
rollback;
