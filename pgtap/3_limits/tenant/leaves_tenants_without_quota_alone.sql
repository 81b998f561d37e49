begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_tenant(rpm => 600) as t \gset
select given_worker(array[:'m']) as w \gset
select given_tasks(:'m', 3) \g /dev/null
select given_task(:'m', tenant => :'t') from generate_series(1, 2) \g /dev/null
select claimed(:w, 5) \g /dev/null
select array_agg(l order by task_id) as leases from sluice.lease l where worker = :w \gset
select sluice.permits_now(sluice.request_quota(t), at(9)) as before from sluice.tenants t
where name = :'t' \gset
select sluice.charge_reserved(model_row(:'m'), :'leases', at(9)) \g /dev/null
select is(sluice.permits_now(sluice.request_quota(t), at(9)), :before::bigint - 2,
  'its own two calls') from sluice.tenants t
where name = :'t';
select is_empty(format('select from sluice.spent where at = %L', at(9)),
  'no tokens, for it has no quota of them');

select * from finish();
rollback;
