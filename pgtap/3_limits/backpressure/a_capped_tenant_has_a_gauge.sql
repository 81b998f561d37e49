-- sluice.after_tenant_changes
begin;
\ir ../../_helpers.sql
select plan(5);

select 'tenant ' || pg_backend_pid() as t \gset
select given_model() as m \gset
create function submit_for(p_tenant text, p_model text) returns bigint language sql
as $$ select sluice.submit('q', p_model, tenant => p_tenant) $$;
insert into sluice.tenants (name) values (:'t');
select is(to_regclass('sluice.load_tenant_' || md5(:'t'))::text, null,
  'a tenant without a cap has none');
select submit_for(:'t', :'m') from generate_series(1, 2) \g /dev/null
update sluice.tenants set max_unfinished = 2 where name = :'t';
select is((error_of(format('select submit_for(%L, %L)', :'t', :'m'))).code, 'SL005',
  'a cap holds for what is there already');
update sluice.tenants set max_unfinished = null where name = :'t';
select lives_ok(format('select submit_for(%L, %L) from generate_series(1, 3)', :'t', :'m'),
  'no cap, no refusal');
update sluice.tenants set max_unfinished = 5 where name = :'t';
select is((error_of(format('select submit_for(%L, %L)', :'t', :'m'))).code, 'SL005',
  'what came without a cap counts');
set constraints all immediate;
delete from sluice.tenants where name = :'t';
select is(to_regclass('sluice.load_tenant_' || md5(:'t'))::text, null, 'it goes with the tenant');

select * from finish();
rollback;
