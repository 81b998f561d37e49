begin;
\ir ../../_helpers.sql
\ir ../../4_policy/fair_share/_fair_turns.sql
select plan(1);

select cmp_ok(sluice.level_key(), '<', sluice.first_tenant(), 'less than all keys');

select * from finish();
rollback;
