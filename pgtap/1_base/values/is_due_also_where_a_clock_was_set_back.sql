-- sluice.is_due
begin;
\ir ../../_helpers.sql
select plan(5);

create unlogged sequence given minvalue 0;
create function due(p_now timestamptz) returns boolean language sql
as $$ select sluice.is_due('given', '1 hour', p_now) $$;
select is(due(at(0)), true, 'what was never set');
select setval('given', sluice.micros(at(60))) \g /dev/null
select is(due(at(59)), false, 'a time that is to come is not');
select is(due(at(60)), true, 'until it has come');
select is(due(at(60) - interval '59 minutes'), false, 'as far ahead as it may have been set');
select is(due(at(60) - interval '1 hour'), true, 'one further ahead is');

select * from finish();
rollback;
