begin;
\ir ../../_helpers.sql
select plan(3);

select given_model(tpm => 60000) as m \gset
select given_tenant(rpm => 600, tpm => 6000) as t \gset
select -id as account from sluice.tenants where name = :'t' \gset
select given_worker(array[:'m']) as w \gset
select given_tasks(:'m', 1) \g /dev/null
select given_task(:'m', tenant => :'t') \g /dev/null
select claimed(:w, 2) \g /dev/null
select array_agg(l order by task_id) as leases, sum(reserved_tokens) as all,
  sum(reserved_tokens) filter (where tenant = :'t') as his
from sluice.lease l where worker = :w \gset
delete from sluice.spent where account in (id_of(:'m'), :account);
select sluice.permits_now(sluice.request_quota(t), at(9)) as before from sluice.tenants t
where name = :'t' \gset
select sluice.charge_reserved(model_row(:'m'), :'leases', at(9)) \g /dev/null
select is(sluice.tokens_spent(id_of(:'m'), at(9)), :all::bigint, 'tokens of both from the model');
select is(sluice.tokens_spent(:account, at(9)), :his::bigint, 'his from the tenant');
select is(sluice.permits_now(sluice.request_quota(t), at(9)), :before::bigint - 1, 'and one call')
from sluice.tenants t
where name = :'t';

select * from finish();
rollback;
