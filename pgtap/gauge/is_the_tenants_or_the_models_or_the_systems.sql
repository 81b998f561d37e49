begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as m \gset
insert into sluice.tenants (name, max_unfinished) values (:'m', 10);
select is(sluice.gauge(null, :'m')::text, 'sluice.load_tenant_' || md5(:'m'), 'a tenant''s');
select is(sluice.gauge(id_of(:'m'), null)::text, 'sluice.load_' || id_of(:'m'), 'a model''s');
select is(sluice.gauge(0, null)::text, 'sluice.load_all', 'the system''s');

select * from finish();
rollback;
