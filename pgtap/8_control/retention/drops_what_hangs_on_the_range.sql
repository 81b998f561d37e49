-- sluice.try_drop_range
begin;
\set alone
\ir ../../_helpers.sql
select plan(3);

lock table sluice.task, sluice.result in access exclusive mode;
select n, end_id from sluice.id_range order by first_id limit 1 \gset
select format('sluice.task_%s', :n) as range \gset
create temp view hung as select 1 as x from :range;
create temp view on_it as select x from hung;
select ok(sluice.try_drop_range(jsonb_populate_record(null::sluice.retention_round,
  jsonb_build_object('n', :n, 'end_id', :end_id, 'retained', '[]'::jsonb))), 'it is dropped');
select is(to_regclass(:'range'), null, 'the range');
select is(to_regclass('pg_temp.on_it'), null, 'and the views');

select * from finish();
rollback;
