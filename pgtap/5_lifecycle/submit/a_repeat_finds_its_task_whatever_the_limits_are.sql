begin;
\ir ../../_helpers.sql
select plan(9);

select given_model() as m, given_model() as n, 'key of ' || pg_backend_pid() as key,
  'tenant ' || pg_backend_pid() as tenant \gset
update sluice.settings set default_model = :'m';
insert into sluice.tenants (name, models, max_priority) values (:'tenant', array[:'m'], 50);
select sluice.submit('x', priority => 50, tenant => :'tenant', idempotency_key => :'key') as t \gset
create function repeated(p_more text default '[]') returns bigint[] language sql
as $$
  select array(select *
    from sluice.submit_many(jsonb_build_array(jsonb_build_object('prompt', 'x', 'priority', 50,
    'tenant', 'tenant ' || pg_backend_pid(), 'idempotency_key',
      'key of ' || pg_backend_pid())) || p_more::jsonb))
$$;
update sluice.settings set default_model = :'n';
select is(sluice.submit('x', priority => 50, tenant => :'tenant',
  idempotency_key => :'key'), :t::bigint, 'a default that its tenant may not use');
select is(repeated(), array[:t]::bigint[], 'in bulk');
update sluice.settings set default_model = :'m';
update sluice.tenants set max_priority = 10 where name = :'tenant';
select is(sluice.submit('x', priority => 50, tenant => :'tenant', idempotency_key => :'key'),
  :t::bigint, 'a lower highest priority');
select is(repeated(), array[:t]::bigint[], 'in bulk');
select is((error_of(format('select sluice.submit(''x'', priority => 50, tenant => %L, '
                           'idempotency_key => ''new'')', :'tenant'))).code,
  'SL004',
  'a new one is refused');
select is((select count(*) from sluice.idempotency where tenant = :'tenant'), 1::bigint,
  'and its key not kept');
select is((error_of(format('select repeated(%L)', jsonb_build_array(
  jsonb_build_object('prompt', 'x', 'priority', 50, 'tenant', :'tenant'))))).message,
  format('task 2: priority 50 is above 10, the highest for tenant "%s"', :'tenant'),
    'so is one beside the repeat');
delete from sluice.tenants where name = :'tenant';
update sluice.settings set max_tenants = 0;
select is(sluice.submit('x', priority => 50, tenant => :'tenant', idempotency_key => :'key'),
  :t::bigint, 'no new tenants');
select is(repeated(), array[:t]::bigint[], 'in bulk');

select * from finish();
rollback;
