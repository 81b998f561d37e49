begin;
\ir ../_helpers.sql
select plan(1);

select is(20 * sluice.partition_step(), sluice.partition_ids(), 'twenty looks in a range');

select * from finish();
rollback;
