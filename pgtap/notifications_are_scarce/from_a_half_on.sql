begin;
\ir ../_helpers.sql
select plan(3);

select ok(not sluice.notifications_are_scarce(), 'not here');
select ok(not sluice.notifications_are_scarce(0.49), 'not below a half');
select ok(sluice.notifications_are_scarce(0.5), 'at a half');

select * from finish();
rollback;
