begin;
\ir ../_helpers.sql
select plan(5);

select given_model() as m \gset
select 'backlog_' || id_of(:'m') as line \gset
select given_tenant(rpm => 60) as t \gset
select is((sluice.first_turn(:'line', at(1))).ready_at, null, 'nothing waits');
select given_task(:'m', tenant => :'t') as his \gset
select results_eq(format('select task_id, fence, ready_at from sluice.first_turn(%L, at(1))', :'line'),
  format('values (%s::bigint, 0, at(1))', :his), 'he with a permit is the first');
select sluice.take_permits(sluice.tenant_request_quota(t), 1, at(1)) as x from sluice.tenants t where name = :'t' \g /dev/null
select results_eq(format('select task_id, ready_at between at(1.9) and at(2.1) from sluice.first_turn(%L, at(1))', :'line'),
  'values (null::bigint, true)', 'without one nobody is, until his next');
select given_task(:'m', priority => -1) as free \gset
select results_eq(format('select task_id, ready_at from sluice.first_turn(%L, at(1))', :'line'),
  format('values (%s::bigint, at(1))', :free), 'who has no quota stands behind nobody');
select is(sluice.admissible_at(model_row(:'m'), at(1)), at(1), 'so there is something to admit');

select * from finish();
rollback;
