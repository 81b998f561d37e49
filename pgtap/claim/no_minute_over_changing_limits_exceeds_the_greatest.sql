begin;
\ir ../_helpers.sql
\ir ../_witness.sql
select plan(5);

-- Limits of a model and of a tenant go up and down in the midst of calls, two and a half minutes.
-- No minute may see more than the greatest limit that was in force in it.
select setseed(0.17);
select given_model(rpm => 300, tpm => 60000, max_queue => 100000) as m \gset
select given_tenant(rpm => 200, tpm => 40000) as t \gset
select given_worker() as w \gset
select given_task(:'m', tenant => case when n % 3 = 0 then 'default' else :'t' end, max_output_tokens => (20 + random() * 400)::int)
from generate_series(1, 1500) n \g /dev/null
create temp table limits (at numeric, model_rpm int, model_tpm int, tenant_rpm int, tenant_tpm int) on commit drop;
insert into limits values (0, 300, 60000, 200, 40000);
grant all on limits to public;

create function drive(p_model text, p_tenant text, p_worker bigint) returns void language plpgsql
as $$
declare
  v_time numeric := 1;
  v limits;
begin
  while v_time < 150 loop
    v_time := v_time + (random() * 1.5)::numeric;
    if random() < 0.08 then
      v := row(v_time, 60 + (random() * 400)::int, 10000 + (random() * 80000)::int, 40 + (random() * 300)::int,
        8000 + (random() * 50000)::int);
      insert into limits select v.*;
      -- The triggers note the change by the clock; the test's time has its own.
      update sluice.models set rpm = v.model_rpm, tpm = v.model_tpm where name = p_model;
      update sluice.models set limits_changed_at = at(v_time) where name = p_model;
      update sluice.tenants set rpm = v.tenant_rpm, tpm = v.tenant_tpm where name = p_tenant;
      update sluice.tenants set limits_changed_at = at(v_time) where name = p_tenant;
    end if;
    perform sluice.admit(p_model, null, at(v_time));
    perform settle_due(v_time, 0);
    perform take(p_worker, 1 + (random() * 30)::int, v_time, 0, 0);
  end loop;
end
$$;
select drive(:'m', :'t', :w) \g /dev/null
-- minute: of each moment at which calls began, what the minute that ends then saw, when it ended, and the greatest limits in it.
create temp table minute on commit drop as
select c.at, l.*, x.*
from (select distinct at from call) c
cross join lateral (
  select count(*) as requests, sum(case when b.ends <= c.at then b.used else b.reserved end) as tokens,
    count(*) filter (where k.tenant <> 'default') as his_requests,
    sum(case when b.ends <= c.at then b.used else b.reserved end) filter (where k.tenant <> 'default') as his_tokens
  from call b join sluice.task k on k.id = b.task where b.at > c.at - 60.25 and b.at <= c.at) x
cross join lateral (
  select max(model_rpm) as model_rpm, max(model_tpm) as model_tpm, max(tenant_rpm) as tenant_rpm, max(tenant_tpm) as tenant_tpm
  from limits where at <= c.at and at >= (select max(at) from limits where at <= c.at - 60.25 or at = 0)) l;
select cmp_ok((select count(*) from call), '>', 200::bigint, 'many calls, over ' || (select count(*) - 1 from limits) || ' changes');
select is_empty('select * from minute where requests > model_rpm', 'the model''s rpm');
select is_empty('select * from minute where tokens >= model_tpm + (select max(reserved) from call)', 'its tpm, but for one request');
select is_empty('select * from minute where his_requests > tenant_rpm', 'the tenant''s rpm');
select is_empty('select * from minute where his_tokens >= tenant_tpm + (select max(reserved) from call)', 'his tpm, but for one request');

select * from finish();
rollback;
