begin;
\ir ../../_helpers.sql
select plan(1);

select is(array[sluice.sleeper_lock_of(65), sluice.sleeper_lock_of(-65)], '{1,1}', 'of both kinds');

select * from finish();
rollback;
