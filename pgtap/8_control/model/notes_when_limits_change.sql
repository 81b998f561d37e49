-- sluice.before_model_changes
begin;
\ir ../../_helpers.sql
select plan(4);

select given_model(rpm => 600) as m \gset
select is((model_row(:'m')).limits_changed_at, null, 'a new model has its first limits');
update sluice.models set timeout = '10 s', rpm = 600 where name = :'m';
select is((model_row(:'m')).limits_changed_at, null,
  'another column, or the same rpm, is no change of limits');
update sluice.models set rpm = 1200 where name = :'m';
select ok((model_row(:'m')).limits_changed_at between now() and clock_timestamp(),
  'a new rpm is, from now');
update sluice.models set limits_changed_at = null where name = :'m';
update sluice.models set burst = 2 where name = :'m';
select isnt((model_row(:'m')).limits_changed_at, null, 'and so is a new burst');

select * from finish();
rollback;
