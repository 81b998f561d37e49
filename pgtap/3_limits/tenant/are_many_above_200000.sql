-- sluice.are_many_unfinished
begin;
\set alone
\ir ../../_helpers.sql
select plan(3);

select setval('sluice.task_id', last_value + 300000) from sluice.task_id \g /dev/null
select setval('sluice.load_all', last_value - 1000) from sluice.task_id \g /dev/null
select is(sluice.are_many_unfinished(), false, 'a thousand are few');
select setval('sluice.load_all', last_value - 250000) from sluice.task_id \g /dev/null
select is(sluice.are_many_unfinished(), true, 'a quarter of a million are many');
select setval('sluice.load_all', last_value + 1000) from sluice.task_id \g /dev/null
select is(sluice.are_many_unfinished(), false, 'the sweep counts where it is not known');

select * from finish();
rollback;
