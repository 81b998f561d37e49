begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select given_tasks(:'m', 3) as ts \gset
select claimed(:w, 3) \g /dev/null
select completed(:w, told(t, 'failed')) from unnest((:'ts'::bigint[])[1:2]) t \g /dev/null
select completed(:w, told((:'ts'::bigint[])[3], 'solved')) \g /dev/null
select given_tenant('sluice_admin') as admin \gset
set local role :"admin";
select sluice.pause(:'m') \g /dev/null
select sluice.resume(:'m') \g /dev/null
select sluice.close_model(:'m', at(1)) \g /dev/null
select sluice.redrive((:'ts'::bigint[])[1]) \g /dev/null
select sluice.redrive_all(:'m') \g /dev/null
select sluice.cancel_all(:'m') \g /dev/null
select sluice.forget((:'ts'::bigint[])[3]) \g /dev/null
update sluice.models set max_queue = 7 where name = :'m';
update sluice.routes set weight = 7 where model = :'m';
insert into sluice.routes (route, model) values ('route-' || :'m', :'m');
update sluice.tenants set weight = 7 where name = :'admin';
reset role;
select is(array(select action from sluice.audit where who = :'admin' order by id),
  '{pause,resume,close_model,redrive,redrive_all,cancel_all,forget,update models,insert routes,update tenants}', 'each once, in order');
select is((select count(*) from sluice.audit where who = :'admin' and at is null), 0::bigint, 'with its time');
select is((select detail::text from sluice.audit where who = :'admin' and action = 'update models'), '{"max_queue": [1000, 7]}',
  'and what it changed');

select * from finish();
rollback;
