begin;
\ir ../_helpers.sql
select plan(6);

select given_model(rpm => 1200, max_queue => 1000) as m \gset
select sluice.set_counter('room', id_of(:'m'), 1000);
select given_tasks(:'m', 300) \g /dev/null
select is(sluice.admit(:'m', null, at(1)), 200, '10 s of 1,200 a minute');
select is(sluice.admit(:'m', null, at(2)), 0, 'no more while they wait');

select given_model(max_queue => 500) as n \gset
select given_worker(array[:'n']) as w \gset
select sluice.set_counter('room', id_of(:'n'), 500);
select given_tasks(:'n', 1000) \g /dev/null
select is(sluice.admit(:'n', null, at(1)), 64, 'without a quota and before anything was measured: 64');
select cardinality(claimed(:w, 30, at(2))) \g /dev/null
select is(sluice.admit(:'n', null, at(2)), 266, 'then 10 s of what claims took: 30 in a second');
select cardinality(claimed(:w, 300, at(2.5))) \g /dev/null
select is(sluice.admit(:'n', null, at(3)), 500, 'at most max_queue');
select is(sluice.admit(:'n', null, at(60)), 0, 'a model that rests is left its queue');

select * from finish();
rollback;
