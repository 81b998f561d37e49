begin;
\ir ../_helpers.sql
select plan(3);

select * from error_of('select sluice.refuse_for_system(1, 7)') \gset
select is(:'code'::text, 'SL003', 'the code');
select matches(:'message'::text, '^the queue is full: \d+ of 7 unfinished$', 'the numbers');
select matches(:'hint'::text, 'sluice\.settings\.max_unfinished', 'what can be done');

select * from finish();
rollback;
