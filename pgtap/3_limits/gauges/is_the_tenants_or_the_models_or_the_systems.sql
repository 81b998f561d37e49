begin;
\ir ../../_helpers.sql
select plan(5);

select given_model() as m \gset
insert into sluice.tenants (name, max_unfinished) values (:'m', 10);
select is(sluice.gauge('tenant', :'m')::text, 'sluice.load_tenant_' || md5(:'m'), 'a tenant''s');
select is(sluice.gauge('model', id_of(:'m')::text)::text, 'sluice.load_' || id_of(:'m'),
  'a model''s');
select is(sluice.gauge('system', null)::text, 'sluice.load_all', 'the system''s');
select is(sluice.gauge('line', id_of(:'m')::text)::text, 'sluice.waits_' || id_of(:'m'),
  'a line''s');
select is(sluice.gauge('line', own_line('any')::text)::text,
  'sluice.waits_route_' || -own_line('any'), 'a route''s');

select * from finish();
rollback;
