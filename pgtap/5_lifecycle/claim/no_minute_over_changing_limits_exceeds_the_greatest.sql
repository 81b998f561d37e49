-- sluice.claim
begin;
\ir ../../_helpers.sql
\ir ../../_witness.sql
select plan(6);

-- Limits of a model and of a tenant, in requests, go down and up again, then those in tokens, in
-- the midst of calls; there is always more to do than they allow. No minute may see more than the
-- greatest limit that was in force in it.
select setseed(0.17);
select given_model(rpm => 120, tpm => 1000000) as m \gset
select given_tenant(rpm => 60, tpm => 1000000) as t \gset
update sluice.tenants set weight = 3 where name = :'t';
select given_worker() as w \gset
select given_task(:'m', tenant => case when n % 3 = 0 then 'default' else :'t' end,
  max_output_tokens => (20 + random() * 150)::int)
from generate_series(1, 1200) n \g /dev/null
create temp table limits (at numeric, model_rpm int, model_tpm int, tenant_rpm int, tenant_tpm int)
  on commit drop;
insert into limits values (0, 120, 1000000, 60, 1000000), (70, 40, 1000000, 20, 1000000),
  (140, 120, 1000000, 60, 1000000),
  (200, 1000, 9000, 1000, 3000), (270, 1000, 4000, 1000, 1500), (340, 1000, 9000, 1000, 3000);
grant all on limits to public;

create function drive(p_model text, p_tenant text, p_worker bigint) returns void language plpgsql
as $$
declare
  v_time numeric := 1;
  v_changed numeric := 0;
  v limits;
begin
  while v_time < 400 loop
    v_time := v_time + (random() * 2)::numeric;
    select * into v from limits where at <= v_time order by at desc limit 1;
    if v.at > v_changed then
      v_changed := v.at;
      -- The triggers note the change by the clock; the test's time has its own.
      update sluice.models set rpm = v.model_rpm, tpm = v.model_tpm where name = p_model;
      update sluice.models set limits_changed_at = at(v_time) where name = p_model;
      update sluice.tenants set rpm = v.tenant_rpm, tpm = v.tenant_tpm where name = p_tenant;
      update sluice.tenants set limits_changed_at = at(v_time) where name = p_tenant;
    end if;
    perform sluice.wake(at(v_time));
    perform settle_due(v_time, 0);
    perform take(p_worker, 5 + (random() * 30)::int, v_time, 0, 0);
  end loop;
end
$$;
select drive(:'m', :'t', :w) \g /dev/null
-- minute: of each moment at which calls began, what the minute that ends then saw, when it ended,
-- and the greatest limits in it.
create temp table minute on commit drop as
select c.at, l.*, x.*
from (select distinct at from call) c
cross join lateral (
  select count(*) as requests,
    sum(case when b.ends <= c.at then b.used else b.reserved end) as tokens,
    count(*) filter (where k.tenant <> 'default') as his_requests,
    sum(case when b.ends <= c.at then b.used
      else b.reserved end) filter (where k.tenant <> 'default') as his_tokens
  from call b join sluice.task k on k.id = b.task where b.at > c.at - 60.25 and b.at <= c.at) x
cross join lateral (
  select max(model_rpm) as model_rpm, max(model_tpm) as model_tpm, max(tenant_rpm) as tenant_rpm,
    max(tenant_tpm) as tenant_tpm
  from limits where at <= c.at
    and at >= (select max(at) from limits where at <= c.at - 60.25 or at = 0)) l;
select ok(bool_and(used >= 0.5), 'each limit is used: ' || string_agg(round(used, 2)::text, ', '))
from (select max(requests) / 40.0 as used from minute where model_rpm = 40
  union all select max(his_requests) / 20.0 from minute where tenant_rpm = 20) u;
select ok(bool_and(used >= 0.5), 'in tokens, too: ' || string_agg(round(used, 2)::text, ', '))
from (select max(tokens) / 4000.0 as used from minute where model_tpm = 4000
  union all select max(his_tokens) / 1500.0 from minute where tenant_tpm = 1500) u;
select is_empty('select * from minute where requests > model_rpm', 'the model''s rpm');
select is_empty('select * from minute where tokens >= model_tpm + (select max(reserved) from call)',
  'its tpm, but for one request');
select is_empty('select * from minute where his_requests > tenant_rpm', 'the tenant''s rpm');
select is_empty('select * from minute where his_tokens >= tenant_tpm + (select max(reserved) from '
                'call)', 'his tpm, but for one request');

select * from finish();
rollback;
