-- sluice.drop_model
begin isolation level repeatable read;
\ir ../../_helpers.sql
select plan(2);

set constraints all immediate;
select given_model() as m \gset
select code, hint from error_of(format('delete from sluice.models where name = %L', :'m')) \gset
select is(:'code'::text, '0A000', 'its count of unfinished tasks would be of the past');
select matches(:'hint'::text, 'read committed', 'the hint says what to do');

select * from finish();
rollback;
