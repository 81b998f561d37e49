-- sluice.require_collation
begin;
\set alone
\ir ../../_helpers.sql
select plan(20);

-- Tenants and names that differ in accents alone, which this collation does not see.
create collation c (provider = icu, locale = 'und-u-ks-level1', deterministic = false);
grant usage on schema :test_schema to public;
select given_model() as m \gset
insert into sluice.models (name, url) values ('name-a', 'http://127.0.0.1:1');
insert into sluice.routes (route, model) values ('route-a', 'name-a');
select given_tenant('sluice_submitter', 'sluice_reader') as own \gset
select replace(:'own', 'tenant', 'ténant') as other \gset
insert into sluice.tenants (name, role) values (:'other', 'sluice_owner');
select given_task(:'m', tenant => :'other') as foreign_task \gset
set local role :"own";
select is(:'own' = (:'other' collate c), true, 'to the caller''s collation they are equal');

select throws_ok(format('select sluice.submit(''x'', %L, tenant => %L collate c)', :'m', :'other'),
  'SL009', null, 'nobody submits as another tenant');
select lives_ok(format('select sluice.submit(''x'', %L, tenant => %L collate c)', :'m', :'own'),
  'his own task is');
select throws_ok(format('select sluice.submit(''x'', %L collate c, tenant => %L)', name, :'own'),
  'SL001', null, 'a spelling is no model or route: ' || name)
from unnest(array['náme-a', 'róute-a']) name;
select is(sluice.cancel_all(tenant => :'own' collate c), 1::bigint, 'he cancels his own alone');

select throws_ok(format(call, format('%L collate c', :'other')), 'SL004', null, call)
from unnest(array[
  'select from sluice.history_of_keys(tenant => %s)', 'select from sluice.history_of(tenant => %s)',
  'select from sluice.dead_letter_groups(tenant => %s)',
  'select from sluice.route_choices(%s)', 'select from sluice.unserved_versions(%s)',
  'select from sluice.model_limits(%s)',
  'select from sluice.next_permit_at(%s)', 'select sluice.start_job(%s, ''{}'')',
  'select sluice.start_job(''move'', ''{"model": "m"}'', target => %s)']) call;
select throws_ok(format('select sluice.cancel_all(tenant => %L collate c)', :'other'), 'SL009',
  null, 'nor another''s');
select throws_ok(format('select from sluice.find_tasks(tenant => %L collate c)', :'other'), 'SL009',
  null, 'nor finds them');
select is((select count(*) from sluice.tasks where tenant = :'other' collate c and
  tenant <> :'own'), 0::bigint, 'views show his own');
select lives_ok('select sluice.next_permit_at(''name-a'' collate "C")',
  'others are as good as none');
reset role;
select is((select status from sluice.task(:foreign_task)), 'queued', 'the other''s task waits');

select * from finish();
rollback;
