begin;
\ir ../../_helpers.sql
select plan(2);

select is(sluice.task_tokens(4000), 1000.0::float8, 'a thousand');
select is(sluice.task_tokens(0), 1.0::float8, 'never nothing: each task takes its share');

select * from finish();
rollback;
