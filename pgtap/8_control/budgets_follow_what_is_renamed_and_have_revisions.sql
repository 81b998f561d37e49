-- sluice.after_budget_changes, sluice.budget_rows
begin;
\set alone
\ir ../_helpers.sql
\ir ../_budgets.sql
select plan(11);

select given_priced_model() as m, given_priced_model() as other \gset
select given_route(:'m', :'other') as r \gset
select given_budget('route', :'r', 5000) as b, given_budget('model', :'m', 5000) as of_model \gset

update sluice.routes set route = :'r' || '-new' where route = :'r' and model = :'m';
select is((budget_row(:'b')).subject, :'r', 'while a route has a model it keeps its budgets');
update sluice.routes set route = :'r' || '-new' where route = :'r';
select is((budget_row(:'b')).subject, :'r' || '-new', 'renamed, it takes its budgets along');

update sluice.models set name = :'m' || '-new' where name = :'m';
select is((budget_row(:'of_model')).subject, :'m' || '-new', 'so does a model with its budgets');
select is((select count(*) from sluice.prices where model = :'m' || '-new'), 1::bigint,
  'and its prices');

-- revisions
create function last_revision() returns bigint language sql
as $$ select max(id) from sluice.revision $$;
update sluice.budgets set limit_nanos = 7000, marks = '{50}' where name = :'b';
select results_eq('select kind, name, before, after from sluice.revisions order by id desc limit 1',
  format($$values ('budgets', %L, '{"marks": [80, 100], "limit_nanos": 5000}'::jsonb,
    '{"marks": [50], "limit_nanos": 7000}'::jsonb)$$, :'b'), 'a change is a revision');
select sluice.revert(last_revision()) \g /dev/null
select is((budget_row(:'b')).limit_nanos, 5000::numeric, 'which can be taken back');
delete from sluice.budgets where name = :'b';
select sluice.revert(last_revision()) \g /dev/null
select is((budget_row(:'b')).subject, :'r' || '-new', 'a deletion, too');
select sluice.revert((select min(id) from sluice.revision where kind = 'budgets'
  and name = :'of_model'), true) \g /dev/null
select is((budget_row(:'of_model')).name, null, 'and that it was made');

-- marks
insert into sluice.budget_spent (budget, at, nanos)
values ((budget_row(:'b')).id, clock_timestamp(), 4500);
select sluice.look_at_budgets(clock_timestamp()) \g /dev/null
select sluice.note_marks(budget_row(:'b'), '{0}', clock_timestamp());
select is((select (marks_hit, exhausted_at is null) from sluice.budget_rows(:'b')),
  (array[80], false), 'a mark is reached, and the budget exhausted');
update sluice.budgets set limit_nanos = 5500 where name = :'b';
select is((select (marks_hit, exhausted_at is null) from sluice.budget_rows(:'b')),
  (array[80], true), 'with a higher limit it is not exhausted any more');
update sluice.budgets set limit_nanos = 6000 where name = :'b';
select is((select marks_hit from sluice.budget_rows(:'b')), '{}',
  'and the mark is forgotten when it is not reached');

select * from finish();
rollback;
