begin;
\set alone
\ir ../_helpers.sql
\ir _helpers.sql
select plan(3);

select is(sluice.has_remains(), false, 'a new database has nothing');
select given_remains() \g /dev/null
select is(sluice.has_remains(), true, 'one from before has');
select sluice.wake(at(1)), sluice.wake(at(2)) \g /dev/null
select is(sluice.has_remains(), false, 'until all is moved and dropped');

select * from finish();
rollback;
