begin;
\set alone
\ir ../../_helpers.sql
select plan(5);

select given_model() as m \gset
select given_task(:'m', tenant => t), given_task(:'m', tenant => t)
from unnest(array['a', 'b', 'default']) t \g /dev/null
select given_task(:'m', tenant => 'b', run_at => at(9)),
  given_task(:'m', tenant => 'row') \g /dev/null
delete from sluice.unlisted_tenant;
insert into sluice.unlisted_tenant values ('a', at(0)), ('a', at(1)), ('row', at(0)),
  ('key', at(90)), ('idle', at(0)), ('young', at(90));
insert into sluice.tenants (name) values ('row');
insert into sluice.api_key (id, sha256, name, tenant, scopes, created_at)
values (lpad('a', 16, 'a'), sha256('a'), 'k', 'key', '{submit}', at(0));
select sluice.count_tenants(2, at(100)) \g /dev/null
select bag_eq('select tenant, tasks from sluice.full_tenant', $$values ('a', 2::bigint), ('b', 3)$$,
  'who has the most, and how much');
select bag_eq('select tenant, noted_at from sluice.unlisted_tenant', $$
  values ('a', at(1)), ('young', at(90))$$,
  'who has tasks and neither row nor key is noted, once; others are forgotten after a minute');
select sluice.count_tenants(3, at(100)) \g /dev/null
select bag_eq('select tenant, tasks from sluice.full_tenant', $$
  values ('b', 3::bigint)$$, 'of a higher most');
select sluice.cancel_all(tenant => 'b'), sluice.count_tenants(3, at(100)) \g /dev/null
select is((select count(*) from sluice.full_tenant), 0::bigint, 'or when tasks have ended');
select sluice.count_tenants(1, at(100)), sluice.count_tenants(null, at(100)) \g /dev/null
select is((select count(*) from sluice.full_tenant), 0::bigint, 'null: there is no most');

select * from finish();
rollback;
