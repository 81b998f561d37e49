begin;
\ir ../_helpers.sql
select plan(3);

select is(sluice.bells_of(array[1, 65, 3]), array[1, 3, 65, 67], 'models share them, 64 apart');
select is(sluice.bells_of(array[1, 65, 3], array[1, 3]), array[1, 65, 67], 'a bell is kept for whoever of its models is open');
select is(sluice.bells_of('{}'), '{}', 'no model, no bell');

select * from finish();
rollback;
