-- sluice.require_own_turns
-- The attack: a name whose hash is another tenant's: 10,000 tasks under it stood before that
-- tenant's ten, in its own lane.
begin;
\ir ../../_helpers.sql
select plan(8);

\set same huiluxwopjqm8zJqKsWR6pRA
select given_model() as m \gset
select is(sluice.tenant_key(:'same'), sluice.tenant_key('victim'), 'one key');
create function code(p_sql text) returns text language sql as $$ select (error_of(p_sql)).code $$;
create function submit_as(p_name text) returns text language sql as $$
  select format('select sluice.submit(''x'', %L, tenant => %L)',
    (select max(name) from sluice.models), p_name)
$$;
savepoint new;

insert into sluice.tenants (name) values ('victim');
select is(code(submit_as(:'same')), 'SL004', 'not beside a tenant with a row');
select is(code(format('select sluice.submit_many(%L)', jsonb_build_array(jsonb_build_object(
  'prompt', 'x', 'model', :'m', 'tenant', :'same')))), 'SL004', 'nor among many');
select is(code(format('insert into sluice.tenants (name) values (%L)', :'same')), 'SL004',
  'not by a row of its own');

rollback to new;
select given_task(:'m', tenant => 'victim') \g /dev/null
select is(code(submit_as(:'same')), 'SL004', 'not beside one that has tasks');

rollback to new;
select sluice.create_key('0123456789abcdef', sha256('x'), 'k', 'victim', '{submit}') \g /dev/null
select is(code(submit_as(:'same')), 'SL004', 'not beside one that has a key');
select is(code(format('select sluice.create_key(''0123456789abcde0'', sha256(''y''), ''k'', %L, '
  '''{submit}'')', :'same')), 'SL004', 'nor by a key');
select is(code(submit_as('qkyjwyqsimftz1opf*p0z_-c')), 'SL004', 'nor beside "default"');

select * from finish();
rollback;
