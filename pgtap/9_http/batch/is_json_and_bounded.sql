begin;
\ir ../../_helpers.sql
select plan(3);

select is(sluice.quoted('gpt'), '"gpt"', 'a name');
select is(sluice.quoted(E'a"b\nc'), '"a\"b\nc"', 'one with what JSON escapes, on one line');
select is(length(sluice.quoted(repeat('x', 5000))), 102, 'a long one is cut');

select * from finish();
rollback;
