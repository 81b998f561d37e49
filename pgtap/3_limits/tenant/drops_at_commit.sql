-- sluice.after_tenant_is_gone
begin;
\ir ../../_helpers.sql
select plan(3);

select given_tenant(rpm => 60) as t \gset
select id from sluice.tenants where name = :'t' \gset
delete from sluice.tenants where name = :'t';
select isnt(to_regclass('sluice.tenant_bucket_' || :id), null, 'an open deletion stops no claim');
set constraints all immediate;
select is(to_regclass('sluice.tenant_bucket_' || :id), null, 'its buckets go with the commit');
select is(to_regclass('sluice.tenant_tokens_' || :id), null, 'both');

select * from finish();
rollback;
