begin;
\ir ../../_helpers.sql
select plan(1);

select cmp_ok(sluice.level_key(), '<', sluice.first_tenant(), 'less than all keys');

select * from finish();
rollback;
