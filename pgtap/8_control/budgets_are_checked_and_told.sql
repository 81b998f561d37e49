-- sluice.before_budget_changes, sluice.after_budget_changes, sluice.budget_rows,
-- sluice.budget_excesses
begin;
\ir ../_helpers.sql
\ir ../_budgets.sql
select plan(13);

select given_priced_model() as m, given_model() as unpriced \gset
select is((model_row(:'m')).is_budgeted, false, 'without budgets no model looks for any');
select throws_ok(format('select given_budget(%L, %L, 5000, zone => %L)', scope, subject, zone),
  '23514', null, why)
from (values ('system', null, 'Mars', 'an unknown zone'), ('model', 'nowhere', 'UTC', 'no model'),
  ('route', 'nowhere', 'UTC', 'no route'), ('model', :'unpriced', 'UTC', 'a model without a price'),
  ('system', 'x', 'UTC', 'the system has no subject'), ('tag', 'x', 'UTC', 'a tag has a value'))
  f(scope, subject, zone, why);
select given_budget('model', :'m', 5000) as b \gset
select is((model_row(:'m')).is_budgeted, true, 'with one they do');
select is((model_row(given_model())).is_budgeted, true, 'a new one, too');
update sluice.models set name = name || '-renamed' where name = :'m';
select is((budget_row(:'b')).subject, :'m' || '-renamed', 'it follows its model''s name');
select is((select format('%s %s %s', "limit", spent, "left") from sluice.budget_rows(:'b', at(0))),
  '0.000005 0 0.000005', 'it is shown in whole units');
select is_empty('select * from sluice.budget_excesses()', 'no backend has told too much');
delete from sluice.budgets;
select is((model_row(:'unpriced')).is_budgeted, false, 'after the last one no more');

select * from finish();
rollback;
