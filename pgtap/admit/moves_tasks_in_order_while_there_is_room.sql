begin;
\ir ../_helpers.sql
select plan(7);

select given_model(max_queue => 64) as m \gset
select given_worker() as w \gset
select given_tasks(:'m', 64, at(0)) \g /dev/null
select given_task(:'m', priority => -9, p_now => at(1)) as third \gset
select given_task(:'m', priority => -9, p_now => at(2)) as fourth \gset
select given_task(:'m', priority => 0, p_now => at(3)) as first \gset
select given_task(:'m', priority => -1, p_now => at(4)) as second \gset

select is(sluice.admit(:'m', null, at(5)), 0, 'a full queue takes none');
select claimed(:w, 61, at(6)) \g /dev/null
select is(sluice.admit(:'m', 2, at(7)), 2, 'no more than asked for');
select is(places(:first) || places(:second) || places(:third), 'queuequeuebacklog', 'the first ones by priority');
select is(sluice.admit(:'m', null, at(8)), 2, 'then what fits');
select is(sluice.depth(id_of(:'m'), 1000), 7, 'all are queued');
select is((queued(:'m'))[6:7], array[:third, :fourth]::bigint[], 'in the order they waited in');
select is(sluice.admit(:'m', null, at(9)), 0, 'an empty backlog gives none');

select * from finish();
rollback;
