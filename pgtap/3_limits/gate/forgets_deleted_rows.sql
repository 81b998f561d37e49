begin;
\set alone
\ir ../../_helpers.sql
select plan(5);

select nextval('sluice.task_id') from generate_series(1, 7) \g /dev/null
select setval('sluice.load_all', 7) \g /dev/null
insert into sluice.tenants (name) values ('a');
insert into sluice.full_tenant values ('b', 10);
select sluice.refresh_gate(false);
select is((select (has_tenants, 'x' = any (noted) is null)::text from sluice.gate), '(t,t)',
  'a tenant with a row, and one with its most');
delete from sluice.tenants where name = 'a';
delete from sluice.full_tenant;
select is((select has_tenants from sluice.gate), true,
  'a row that goes is not told at once: submits look for nothing');
select sluice.refresh_gate(false);
select is((select (has_tenants, 'x' = any (noted) is null)::text from sluice.gate), '(f,f)',
  'it is looked at anew');
select is((select g.request_bytes_max = s.request_bytes_max and g.max_unfinished = s.max_unfinished
  and g.full_at = 7 + ceil(0.95 * s.max_unfinished) from sluice.gate g, sluice.settings s), true,
    'the bounds are those of the settings');
select ctid as place from sluice.gate \gset
select sluice.refresh_gate(true);
select is((select ctid from sluice.gate), :'place'::tid, 'and nothing is written that is there');

select * from finish();
rollback;
