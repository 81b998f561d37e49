-- sluice.refuse_without_settings
begin;
\ir ../../_helpers.sql
select plan(2);

select throws_ok('delete from sluice.settings', '23514', 'sluice.settings is one row, and it stays',
  'a delete');
select throws_ok('truncate sluice.settings', '23514', 'sluice.settings is one row, and it stays',
  'a truncate');

select * from finish();
rollback;
