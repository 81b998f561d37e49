begin;
\ir ../_helpers.sql
select plan(3);

select ok(sluice.configurable_columns('models') @> '{url,rpm,timeout,hedge_budget}', 'settings');
select ok(not sluice.configurable_columns('models')
  && '{name,id,paused,closed_until,closed_reason,limits_changed_at,calls_changed_at}', 'no states');
select is(sluice.configurable_columns('nothing'), '{}', 'none of an unknown table');

select * from finish();
rollback;
