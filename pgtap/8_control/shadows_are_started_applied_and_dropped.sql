-- sluice.start_shadow, sluice.check_change, sluice.make_change,
-- sluice.end_shadow, sluice.apply_shadow, sluice.drop_shadow, sluice.shadows, sluice.shadow_hours,
-- sluice.shadows_open_max, sluice.shadow_calls_max, sluice.attempts_since, sluice.looked_until
begin;
\set alone
\ir ../_helpers.sql
\ir ../_budgets.sql
select plan(24);

select given_priced_model() as m \gset
select given_route(:'m') as r, given_budget('model', :'m', 5000) as b,
  given_budget('system', null, 5000, period => 'rolling', rolling => '1 hour') as rolling \gset
select max(id) as revision from sluice.revision \gset
select max(id) as audited from sluice.audit \gset
select is((error_of(format('select sluice.start_shadow(%L, %L, %L)', kind, name, changes))).code,
  code, why)
from (values ('models', :'m', '{"rpm": 0}', '23514', 'a limit that would be refused'),
  ('models', :'m', '{"rpm": "x"}', 'SL004', 'no number'),
  ('models', :'m', '{"url": "http://h"}', 'SL004', 'a column that has no shadow'),
  ('models', :'m', '{}', 'SL004', 'nothing'), ('models', :'m', '3', 'SL004', 'no object'),
  ('models', 'nowhere', '{"rpm": 1}', 'SL001', 'no such model'),
  ('tenants', 'nowhere', '{"rpm": 1}', 'SL001', 'no such tenant'),
  ('routes', 'nowhere', format('{"%s": 1}', :'m'), 'SL001', 'no such route'),
  ('routes', :'r', '{"nowhere": 1}', 'SL001', 'no such model of a route'),
  ('routes', :'r', format('{"%s": -1}', :'m'), 'SL004', 'no weight'),
  ('budgets', :'b', '{"limit_nanos": 1}', '23514', 'no limit of a budget'),
  ('budgets', :'rolling', '{"limit_nanos": 2000}', 'SL004', 'a budget that rolls'),
  ('settings', null, '{"events": true}', 'SL004', 'another kind'))
  f(kind, name, changes, code, why);
select sluice.start_shadow('models', :'m', '{"rpm": 60}', 'the contract ends') as shadow \gset
select is((model_row(:'m')).rpm, null, 'it changes nothing');
select is((select count(*) from sluice.revision where id > :revision), 0::bigint,
  'there is no revision');
select is(array(select action from sluice.audit where id > :audited), '{start_shadow}',
  'and one row of the audit');
select is(sluice.apply_shadow(:shadow), 'applied', 'it is applied');
select is((model_row(:'m')).rpm, 60, 'which changes it');
select is((select reason from sluice.revision order by id desc limit 1),
  format('shadow %s: the contract ends', :shadow), 'with its reason');
select is((error_of(format('select sluice.drop_shadow(%s)', :shadow))).code, 'SL006',
  'then it is over');
select sluice.start_shadow('budgets', :'b', '{"limit_nanos": 2000}') as shadow \gset
select is(sluice.drop_shadow(:shadow, 'no'), 'dropped', 'another one is dropped');
select is((select array[state, reason] from sluice.shadows(:shadow)), '{dropped,no}',
  'and says why');
select is((budget_row(:'b')).limit_nanos, 5000::numeric, 'which changes nothing');
create or replace function sluice.shadows_open_max() returns int language sql as 'select 0';
select is((error_of(format('select sluice.start_shadow(%L, %L, %L)', 'models', :'m',
  '{"rpm": 30}'))).code, 'SL003', 'only so many may be open');

select * from finish();
rollback;
