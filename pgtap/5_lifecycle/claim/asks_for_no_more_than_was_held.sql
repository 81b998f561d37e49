-- sluice.leased_tasks, sluice.requests
begin;
\ir ../../_helpers.sql
\ir ../../_budgets.sql
select plan(6);

select given_priced_model() as m \gset
update sluice.models set max_output_tokens = 6 where name = :'m';
select given_worker(array[:'m']) as w \gset
select given_task(:'m', prompt => repeat('x', 30)) as own,
  given_task(:'m', prompt => repeat('x', 30), max_output_tokens => 5) as less \gset
select is(array(select max_output_tokens from sluice.claim(:w, null, 2, at(1)) order by 1),
  '{5,6}', 'the model''s most');
select completed(:w, told(:own, 'returned')), completed(:w, told(:less, 'returned')) \g /dev/null

select given_budget('system', null, 10000) as b \gset
select claimed(:w, 2, at(2)) \g /dev/null
update sluice.models set max_output_tokens = 100000 where name = :'m';
select is(array(select max_output_tokens from sluice.requests(:w, array[:own, :less]::bigint[])
  order by 1), '{5,6}', 'what was held, though it has been raised,');
select is(array(select t.max_output_tokens from sluice.leased_tasks(array(
  select l from sluice.lease l where l.task_id in (:own, :less)), array[:own, :less]) t order by 1),
  '{5,6}', 'with the claim, too');
update sluice.models set max_output_tokens = null where name = :'m';
select is(array(select max_output_tokens from sluice.requests(:w, array[:own, :less]::bigint[])
  order by 1), '{5,6}', 'or taken away');
update sluice.models set max_output_tokens = 3 where name = :'m';
select is(array(select max_output_tokens from sluice.requests(:w, array[:own, :less]::bigint[])
  order by 1), '{3,5}', 'less where it was lowered');
delete from sluice.budgets;
select is((select max_output_tokens from sluice.requests(:w, array[:own]::bigint[])), 3,
  'the model''s without budgets');

select * from finish();
rollback;
