begin;
\ir ../_helpers.sql
select plan(7);

select given_model() as m \gset
select given_tasks(:'m', 10) \g /dev/null
select given_task(:'m') as cold \gset
select given_task(:'m', priority => 1) as hot \gset
select given_task(:'m', priority => 1, run_at => at(100)) as later \gset
select is(places(:cold), 'backlog', 'others wait for room');
select is(places(:hot), 'queue', 'an urgent one does not');
select is(places(:later), 'later', 'unless it asked to wait');
select given_task(:'m', priority => 1) as second \gset
select is(places(:second), 'backlog', 'a quarter of the queue is theirs, no more');
select claimed(given_worker(array[:'m']), 2, at(1)) as taken \gset
select is(:'taken'::bigint[] @> array[:hot]::bigint[], true, 'it is claimed before all others');
select given_task(:'m', priority => -1) as low \gset
select is(places(:low), 'backlog', 'a low priority is not urgent');
select given_task(:'m', priority => 1) as third \gset
select is(places(:third), 'queue', 'what was claimed made room');

select * from finish();
rollback;
