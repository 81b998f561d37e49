-- sluice.note_tenants
begin;
\set alone
\ir ../../_helpers.sql
select plan(5);

select given_model() as m \gset
delete from sluice.unlisted_tenant;
update sluice.settings set max_tenants = 2;
insert into sluice.api_key (id, sha256, name, tenant, scopes, created_at)
select lpad(n::text, 16, 'a'), sha256(n::text::bytea), 'k', 'key ' || n, '{submit}', at(0)
from generate_series(1, 3) n;
create function asked(p_model text, variadic p_tenants text[]) returns text language sql
as $$
  select (error_of(format('select * from sluice.submit_many(%L)', (
    select jsonb_agg(jsonb_build_object('prompt', 'q', 'model', p_model, 'tenant', t))
    from unnest(p_tenants) t)))).code
$$;
-- As concurrent first submits of one tenant note it.
insert into sluice.unlisted_tenant select 'a', at(0) from generate_series(1, 12);
select is(asked(:'m', 'key 1', 'b', 'key 2'), null,
  'there is room for one, and those with keys take none');
select is(asked(:'m', 'c'), 'SL005', 'no third');
select is(asked(:'m', 'key 3', 'c'), 'SL005', 'nor beside one with a key');
select is((error_of(format('select given_task(%L, tenant => ''c'')', :'m'))).message,
  'tenant "c" is new, and 2 tenants without a row in sluice.tenants have tasks already',
    'as many as there are');
update sluice.api_key set revoked_at = at(1) where tenant = 'key 3';
select is(asked(:'m', 'key 3'), 'SL005', 'a key that was revoked is none');

select * from finish();
rollback;
