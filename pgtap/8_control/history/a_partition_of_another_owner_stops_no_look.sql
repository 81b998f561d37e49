begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_history.sql
select plan(1);

create role other_owner_of_results;
alter table sluice.result_0 owner to other_owner_of_results;
grant all on sluice.result_0 to sluice_owner;
set local role sluice_owner;
select lives_ok('select sluice.summarize_ends()',
  'only its index does not take in what was written');
reset role;

select * from finish();
rollback;
