begin;
\ir ../_helpers.sql
select plan(3);

select given_model(max_queue => 64) as m \gset
select given_tenant(rpm => 1) as t \gset
select sluice.set_counter('room', id_of(:'m'), 64) \g /dev/null
select given_task(:'m', priority => 0, tenant => :'t') from generate_series(1, 200) \g /dev/null
select given_tasks(:'m', 30, priority => -100) as others \gset
select sluice.admit(:'m', null, at(1)) \g /dev/null
select is((select count(*) from sluice.queue where model = id_of(:'m') and tenant = 'default'), 30::bigint,
  'the others are in the queue behind two hundred of higher priority');
select is((select count(*) from sluice.queue where model = id_of(:'m') and tenant = :'t'), 1::bigint, 'he with what he may begin');
select given_worker(array[:'m']) as w \gset
select is(cardinality(claimed(:w, 64, at(2))), 31, 'and all are claimed');

select * from finish();
rollback;
