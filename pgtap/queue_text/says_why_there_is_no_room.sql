begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as m \gset
select is(sluice.queue_text(id_of(:'m'), at(0)), 'no live worker serves the model', 'nobody takes');
select given_worker(array[:'m']) \g /dev/null
select given_tasks(:'m', 3) \g /dev/null
select is(sluice.queue_text(id_of(:'m'), at(0)), 'its queue holds 3', 'it is full');
update sluice.models set paused = true where name = :'m';
select is(sluice.queue_text(id_of(:'m'), at(0)), 'the model is paused', 'it is closed');

select * from finish();
rollback;
