-- sluice.look_at_tenants
begin;
\set alone
\ir ../../_helpers.sql
select plan(11);

select given_model() as m \gset
select 'large ' || pg_backend_pid() as large, 'small ' || pg_backend_pid() as small,
  'keyed ' || pg_backend_pid() as keyed \gset
update sluice.settings set tenant_max_unfinished = 4, max_tenants = 10;
create function given_many(p_model text, p_tenant text, p_count int) returns bigint language sql
as $$ select count(given_task(p_model, tenant => p_tenant)) from generate_series(1, p_count) $$;
select given_many(:'m', t, 4) from unnest(array[:'large', 'default', :'keyed']) t \g /dev/null
select given_many(:'m', :'small', 3) \g /dev/null
delete from sluice.unlisted_tenant;
insert into sluice.unlisted_tenant values ('gone', at(0)), ('new', at(90)), (:'large', at(0)),
  (:'large', at(0)), (:'small', at(0)), (:'keyed', at(0));
insert into sluice.tenants (name, max_unfinished) values (:'keyed', 5);
-- looked: what the sweep does, which owns what it makes.
create function looked(p_now timestamptz) returns int language sql
as $$ select setval('sluice.sweep_after', 0); select sluice.sweep(p_now) $$;
create function refused(p_model text, p_tenant text) returns text language sql
as $$ select (error_of(format('select given_task(%L, tenant => %L)', p_model,
  p_tenant))).message $$;
create function refused_many(p_model text, p_tenant text) returns text language sql
as $$ select (error_of(format('select * from sluice.submit_many(%L)', jsonb_build_array(
  jsonb_build_object('prompt', 'q', 'model', p_model, 'tenant', p_tenant))))).message $$;
select setval('sluice.tenants_after', 0), setval('sluice.load_all', last_value)
from sluice.task_id \g /dev/null
select looked(at(100)) \g /dev/null
select bag_eq('select tenant from sluice.unlisted_tenant', array[:'large', :'small', 'new'],
  'who has no tasks, or a row, is forgotten; who was noted twice is noted once');
select is(refused(:'m', :'large'), format('tenant "%s" is at its cap: 4 of 4 unfinished', :'large'),
  'who has the most gets no more');
select is(refused_many(:'m', :'large'),
  format('tenant "%s" is at its cap: 4 of 4 unfinished', :'large'), 'nor many');
select is(refused(:'m', t), null, t || ' does') from unnest(array[:'small', 'default', :'keyed']) t;
update sluice.settings set tenant_max_unfinished = 5;
select is(refused(:'m', :'large'), null, 'the most is raised: at once');
update sluice.settings set tenant_max_unfinished = 4;
select is(refused(:'m', :'large') is null, false, 'and lowered');
select sluice.cancel_all(tenant => :'large') \g /dev/null
select looked(at(100.5)) \g /dev/null
select is(refused(:'m', :'large') is null, false, 'once a second while somebody is at it');
select looked(at(130)) \g /dev/null
select is(refused(:'m', :'large'), null, 'looked again: its tasks have ended');
select is(refused(:'m', :'small'), format('tenant "%s" is at its cap: 4 of 4 unfinished', :'small'),
  'another one has come to it');

select * from finish();
rollback;
