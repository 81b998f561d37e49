begin;
\ir ../_helpers.sql
select plan(4);

select ok(sluice.configurable_columns('models') @> '{url,rpm,timeout,hedge_budget}', 'settings');
<<<<<<< HEAD:pgtap/configurable_columns/are_settings_not_keys_or_states.sql
select ok(not sluice.configurable_columns('models')
  && '{name,id,paused,closed_until,closed_reason,limits_changed_at,calls_changed_at}', 'no states');
=======
select ok(sluice.configurable_columns('models') @> '{name,paused,closed_until,closed_reason}', 'states');
select ok(not sluice.configurable_columns('models') && '{id,limits_changed_at}', 'not what triggers keep');
>>>>>>> front:pgtap/configurable_columns/are_all_but_what_triggers_keep.sql
select is(sluice.configurable_columns('nothing'), '{}', 'none of an unknown table');

select * from finish();
rollback;
