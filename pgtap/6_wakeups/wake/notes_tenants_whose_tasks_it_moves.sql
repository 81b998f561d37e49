begin;
\set alone
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
create function noted(p_tenant text) returns boolean language sql
as $$ select exists (select from sluice.mark m
  where m.line = 0 and m.rank = 1 and m.tenant = sluice.tenant_key(p_tenant)) $$;
delete from sluice.mark where line = 0;
insert into sluice.later (task_id, ready_at, model, request_bytes, fence, rank, attempts, tenant)
select n, at(n), id_of(:'m'), 1, 0, 0, 0, case when n <= 40 then 'due' else 'waits' end
from generate_series(1, 80) n;
select is(sluice.wake(at(40)), 40, 'those that are due');
select ok(noted('due'), 'a look for tenants need not walk over what they left behind');
select ok(not noted('waits'), 'others left nothing');

select * from finish();
rollback;
