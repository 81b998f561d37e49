begin;
\ir ../../_helpers.sql
select plan(3);

-- The first one back after an outage would reap the whole fleet, and pay for every call twice.
select given_model() as m \gset
select given_worker(p_now => at(0)) as w \gset
select given_task(:'m') as t \gset
select claimed(:w, 1) \g /dev/null
select given_worker(p_now => at(100)) as fresh \gset
select is(sluice.recover(:fresh, at(100)), 0, 'not at once');
select sluice.heartbeat(:fresh, at(s)) from unnest(array[105, 110]) s \g /dev/null
select is(sluice.recover(:fresh, at(110)), 0, 'not before it has beaten for a whole time-out');
select sluice.heartbeat(:fresh, at(115)) \g /dev/null
select is(sluice.recover(:fresh, at(115)), 1, 'but then');

select * from finish();
rollback;
