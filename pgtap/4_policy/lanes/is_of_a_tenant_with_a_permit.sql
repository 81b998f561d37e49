begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_tenant(rpm => 60) as t \gset
select is(sluice.first_turn(id_of(:'m'), at(1)), null, 'nothing waits');
select given_task(:'m', tenant => :'t') \g /dev/null
select is(sluice.first_turn(id_of(:'m'), at(1)), at(1), 'he has one: now');
select sluice.take_permits(sluice.request_quota(t), 1, at(1)) as x from sluice.tenants t
where name = :'t' \g /dev/null
select ok(sluice.first_turn(id_of(:'m'), at(1)) between at(1.9) and at(2.1),
  'without one when he has the next');
select given_task(:'m', priority => -1) \g /dev/null
select is(sluice.first_turn(id_of(:'m'), at(1)), at(1), 'who has no quota stands behind nobody');

select * from finish();
rollback;
