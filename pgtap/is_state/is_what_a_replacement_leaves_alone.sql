begin;
\ir ../_helpers.sql
select plan(2);

select ok(bool_and(sluice.is_state(c)), 'states') from unnest(array['name', 'paused', 'closed_until', 'closed_reason']) c;
select ok(not sluice.is_state('rpm'), 'no setting');

select * from finish();
rollback;
