begin;
\ir ../../_helpers.sql
select plan(3);

select matches(sluice.example_text('timeout', 'interval'), '"30 s"', 'a duration');
select matches(sluice.example_text('priority', 'int'), 'hot', 'a key of its own');
select is(sluice.example_text('rpm', 'int'), '', 'none is needed');

select * from finish();
rollback;
