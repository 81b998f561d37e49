begin;
\ir ../../_helpers.sql
select plan(4);

select ok(sluice.configurable_columns('models') @> '{url,rpm,timeout,hedge_budget}', 'settings');
select ok(sluice.configurable_columns('models') @> '{name,paused,closed_until,closed_reason}',
  'states');
select ok(not sluice.configurable_columns('models') && '{id,limits_changed_at,calls_changed_at}',
  'not what triggers keep');
select is(sluice.configurable_columns('nothing'), '{}', 'none of an unknown table');

select * from finish();
rollback;
