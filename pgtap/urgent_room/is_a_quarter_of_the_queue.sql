begin;
\ir ../_helpers.sql
select plan(4);

select given_model(max_queue => 8) as m \gset
select is(sluice.urgent_room(id_of(:'m'), 8), 2, 'a queue without them has room for a quarter of its size');
select given_tasks(:'m', 20) as ids \gset
select is(sluice.urgent_room(id_of(:'m'), 8), 2, 'also when it is full');
select given_tasks(:'m', 9, priority => 3) as hot \gset
select is(sluice.urgent_room(id_of(:'m'), 8), 0, 'and then for none');
select is(sluice.urgent_room(id_of(:'m'), 1), 0, 'a queue that was made smaller for none');

select * from finish();
rollback;
