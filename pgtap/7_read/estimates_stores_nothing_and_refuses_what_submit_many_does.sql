begin;
\ir ../_helpers.sql
select plan(10);

select given_model() as m \gset
select count(*) from sluice.estimate_many(jsonb_build_array(jsonb_build_object('model', :'m',
  'prompt', 'x', 'idempotency_key', 'k', 'tenant', 'a new one')), at(0)) \g /dev/null
select is((select count(*) from sluice.task t join sluice.models m on m.id = t.model
  where m.name = :'m'), 0::bigint, 'no task');
select is((select count(*) from sluice.idempotency where tenant = 'a new one'), 0::bigint,
  'no key');
select is((select count(*) from sluice.unlisted_tenant where tenant = 'a new one'), 0::bigint,
  'no tenant');

select is((error_of(format('select sluice.estimate_many(%L)',
    '[{"prompt": "x", "model": "nobody''s"}]'))).code, 'SL001', 'an unknown model');
select is((error_of(format('select sluice.estimate_many(%L)', jsonb_build_array(
    jsonb_build_object('model', :'m', 'prompt', 'x'), jsonb_build_object('model', :'m', 'promt',
    'x'))))).message, 'task 2: unknown key "promt"', 'an unknown key, with the task''s number');
select is((error_of('select sluice.estimate_sums(''{}'')')).code, 'SL004', 'what are no sums');
insert into sluice.tenants (name, models) values (:'m' || '-tenant', '{}');
select is((error_of(format('select sluice.estimate_sums(%L)', jsonb_build_array(jsonb_build_object(
    'name', :'m', 'tenant', :'m' || '-tenant', 'tasks', 1, 'bytes', 0, 'bounded', 0, 'bounds', 0)))
  )).code, 'SL009', 'sums for a model that their tenant may not use');
insert into sluice.tenants (name, models) values ('default', '{}')
on conflict (name) do update set models = '{}';
select is((error_of(format('select sluice.estimate_sums(%L)', jsonb_build_array(jsonb_build_object(
    'name', :'m', 'tasks', 1, 'bytes', 0, 'bounded', 0, 'bounds', 0))))).code, 'SL009',
  'those without a tenant are of the default one');
update sluice.tenants set models = null where name = 'default';
select is((select count(*) from sluice.estimate_many('[]', at(0))), 0::bigint, 'none have no row');

insert into sluice.routes (route, model, weight) values (:'m' || '-route', :'m', 0);
select is((select (count, why) from sluice.estimate_many(jsonb_build_array(jsonb_build_object(
    'model', :'m' || '-route', 'prompt', 'x')), at(0))), (1::bigint,
    'no model of the route has a weight'::text), 'tasks that nobody could take are told');

select * from finish();
rollback;
