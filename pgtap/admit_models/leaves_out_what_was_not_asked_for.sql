begin;
\ir ../_helpers.sql
select plan(2);

select given_model(max_queue => 64) as a \gset
select given_model(max_queue => 64) as b \gset
select given_tasks(:'a', 70), given_tasks(:'b', 70) \g /dev/null
select given_worker(array[:'a', :'b']) as w \gset
select claimed(:w, 128) \g /dev/null
select is(sluice.admit_models(array[id_of(:'a')], at(2)), 6, 'what waits for the model');
select is(cardinality(queued(:'b')), 0, 'and for no other');

select * from finish();
rollback;
