begin;
\ir ../_helpers.sql
select plan(3);

select ok(bool_and(sluice.is_kept(c)), 'states') from unnest(array['name', 'paused', 'closed_until', 'closed_reason', 'closed_detail']) c;
select ok(bool_and(sluice.is_kept(c)), 'and who may act') from unnest(array['role', 'default_role']) c;
select ok(not sluice.is_kept('rpm'), 'no setting');

select * from finish();
rollback;
