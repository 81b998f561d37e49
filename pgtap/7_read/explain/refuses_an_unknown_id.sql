begin;
\ir ../../_helpers.sql
select plan(1);

set local timezone = 'UTC';
select is((error_of('select sluice.explain(0)')).code, 'SL006', 'there is no task 0');

select * from finish();
rollback;
