begin;
\ir ../_helpers.sql
select plan(4);

select is(round(sluice.fair_level('{1,1,1}', '{1,1,1}', 1.5)::numeric, 6), 0.5, 'three tenants: each half a task');
select is(round(sluice.fair_level('{1,2}', '{1,1}', 2)::numeric, 6), 2.0, 'one tenant: two tasks, one behind the other');
select is(round(sluice.fair_level('{2,1}', '{2,1}', 1)::numeric, 6), round(2.0 / 3, 6), 'the same level for long and for short tasks');
select is(round(sluice.fair_level('{1,2,3,1}', '{1,1,1,1}', 3)::numeric, 6), 2.0, 'what a small tenant leaves goes to the other');

select * from finish();
rollback;
