begin;
\ir ../_helpers.sql
select plan(3);

select given_model(rpm => 1200, max_queue => 1000) as m \gset
select sluice.set_counter('room', id_of(:'m'), 1000);
select given_tasks(:'m', 300) \g /dev/null
select is(sluice.admit(:'m', null, at(1)), 200, '10 s of 1,200 a minute');
select is(sluice.admit(:'m', null, at(2)), 0, 'no more while they wait');
update sluice.models set rpm = null where name = :'m';
select is(sluice.admit(:'m', null, at(3)), 100, 'a model without a quota is filled up to max_queue');

select * from finish();
rollback;
