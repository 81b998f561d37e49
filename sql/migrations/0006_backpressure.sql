-- Gauges of what is unfinished, and the indexes that counting needs: see sql/functions/12_backpressure.sql.

-- The whole system's gauge. Unlogged, and its start means "unknown": after a crash the next submit counts anew.
create unlogged sequence sluice.load_all minvalue 0 start 1000000000000000;

do $$
declare
  v_gauge text;
begin
  for v_gauge in
    select 'load_' || id from sluice.models
    union all select 'load_tenant_' || md5(name) from sluice.tenants where max_unfinished is not null
  loop
    execute format('create unlogged sequence sluice.%I minvalue 0 start 1000000000000000', v_gauge);
  end loop;
end
$$;

-- Rows that wait for their time are counted, too; only such rows pay for these.
create index backlog_later_of_model on sluice.backlog (model) where not due and model is not null;
create index backlog_later_of_route on sluice.backlog (route) where not due and route is not null;

-- Their arguments or results change: the new ones come with the functions.
drop function if exists sluice.target(text, boolean, timestamptz), sluice.place(sluice.backlog[]);
