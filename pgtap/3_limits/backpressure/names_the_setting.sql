begin;
\ir ../../_helpers.sql
select plan(3);

select * from error_of(format('select sluice.refuse(''system'', null, 1, 7, 1, %L)', at(0))) \gset
select is(:'code'::text, 'SL003', 'the code');
select matches(:'message'::text, '^the queue is full: \d+ of 7 unfinished$', 'the numbers');
select matches(:'hint'::text, 'sluice\.settings\.max_unfinished', 'what can be done');

select * from finish();
rollback;
