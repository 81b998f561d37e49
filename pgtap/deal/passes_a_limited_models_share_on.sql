begin;
\ir ../_helpers.sql
\ir _helpers.sql
select plan(4);

-- a: out of permits after its burst of one, with a full queue; b: no limit.
select given_model(rpm => 1, max_queue => 64) as a \gset
select given_model(max_queue => 64) as b \gset
select given_route(:'a', :'b') as r \gset
select given_worker(array[:'a', :'b']) as w \gset
select given_tasks(:'r', 1000) \g /dev/null
select served(:w, array[:'a', :'b'], 20, 100) \g /dev/null
select is(sluice.depth(id_of(:'a'), 100), 64, 'its queue is full');
select is((select count(*) from sluice.backlog where route = :'r'), 0::bigint, 'nothing waits for it behind that');
select cmp_ok((select count(*) from sluice.result where model = :'b'), '>', 900::bigint, 'the other has done the rest');
select given_model() as c \gset
select is((sluice.seats(array[row(id_of(:'c'), 1, false)::sluice.queue_room], array[
    row(1, 'backlog_' || id_of(:'c'), 0, 0, 0, 0, null), row(2, 'backlog_' || id_of(:'c'), 0, 0, 0, 0, null)]::sluice.waiting_task[],
    at(0))).seats, array[id_of(:'c'), null], 'what names a model waits for it');

select * from finish();
rollback;
