begin;
\set alone
\ir ../../_helpers.sql
select plan(3);

select hasnt_table('sluice', 'result_3', 'there are none yet');
select sluice.require_range(3500000);
select has_table('sluice', 'result_3', 'now there are');
create or replace function sluice.id_ranges_max()
returns int language sql immutable as $$ select 1 $$;
select is((error_of('select sluice.require_range(400000000)')).code, 'SL003',
  'where there may be no more it is SL003');

select * from finish();
rollback;
