begin;
\ir ../../_helpers.sql
select plan(2);


select is(sluice.error_line(E'a\n\t b'), 'a b', 'one line');
select is(length(sluice.error_line(repeat('x', 1000))), 200, 'of 200 characters');

select * from finish();
rollback;
