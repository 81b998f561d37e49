begin;
\ir ../_helpers.sql
select plan(6);

select given_model() as a \gset
select given_model() as b \gset
select given_tenant(rpm => 300) as t \gset
select given_worker() as w \gset
select given_task(:'a', tenant => :'t') from generate_series(1, 10) \g /dev/null
select given_task(:'b', tenant => :'t') from generate_series(1, 10) \g /dev/null
select is(cardinality(claimed(:w, 50, at(1))), 4, 'a burst of 1 + rpm / 100, of both models together');
select is(claimed(:w, 50, at(1)), '{}', 'then nothing');
select is((select count(*) from sluice.backlog where tenant = :'t' and not due and attempts = 0), 16::bigint,
  'the others wait in the backlog, no attempt charged');
select is((select min(ready_at) from sluice.backlog where tenant = :'t'),
  (select sluice.permit_at(sluice.tenant_request_quota(t), at(1)) from sluice.tenants t where name = :'t'),
  'the first until the tenant''s next permit');
select is((select count(*) from (select distinct model, ready_at from sluice.backlog where tenant = :'t') x), 16::bigint,
  'of each model one by one');
select cmp_ok((select max(ready_at) from sluice.backlog where tenant = :'t'), '<=', at(11), 'the last for 10 s at most');

select * from finish();
rollback;
