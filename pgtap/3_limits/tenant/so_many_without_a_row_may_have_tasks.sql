-- sluice.note_tenants
begin;
\set alone
\ir ../../_helpers.sql
select plan(9);

select given_model() as m \gset
delete from sluice.unlisted_tenant;
update sluice.settings set max_tenants = 2;
insert into sluice.tenants (name) values ('row');
insert into sluice.api_key (id, sha256, name, tenant, scopes, created_at)
values (lpad('a', 16, 'a'), sha256('a'), 'k', 'key', '{submit}', at(0));
create function asked(p_tenant text, p_model text) returns text language sql
as $$ select (error_of(format('select given_task(%L, tenant => %L)', p_model, p_tenant))).code $$;
select is(asked('a', :'m'), null, 'one');
select is(asked('b', :'m'), null, 'two');
select is(asked('c', :'m'), 'SL005', 'no third');
select is((error_of(format('select * from sluice.submit_many(%L)', jsonb_build_array(
  jsonb_build_object('prompt', 'q', 'model', :'m', 'tenant', 'a'),
    jsonb_build_object('prompt', 'q', 'model', :'m', 'tenant', 'c'))))).code,
  'SL005', 'nor among many');
select is(asked(t, :'m'), null, t || ' may') from unnest(array['a', 'row', 'key', 'default']) t;
update sluice.settings set max_tenants = 0;
select is(asked('d', :'m'), 'SL009', '0: those alone that somebody knows');

select * from finish();
rollback;
