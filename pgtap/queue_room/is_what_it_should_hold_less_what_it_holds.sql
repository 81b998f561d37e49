begin;
\ir ../_helpers.sql
select plan(2);

select given_model(max_queue => 10) as m \gset
select is(sluice.queue_room(id_of(:'m'), at(0)), row(id_of(:'m'), 10, true)::sluice.queue_room, 'empty, and nobody takes from it');
select given_worker(array[:'m']) as w \gset
select given_tasks(:'m', 4) \g /dev/null
select claimed(:w, 1) \g /dev/null
select is(sluice.queue_room(id_of(:'m'), at(1)), row(id_of(:'m'), 7, false)::sluice.queue_room, 'three there, and somebody takes');

select * from finish();
rollback;
