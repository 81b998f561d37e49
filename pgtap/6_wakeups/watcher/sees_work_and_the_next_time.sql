begin;
\set alone
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select given_task(:'m', run_at => at(60)) as t \gset
-- or forget_idle_lines takes its lock, until this transaction ends
delete from sluice.ready_line where line = id_of(:'m');
select is(wake_in_ms, 59500::bigint, 'it says when the next task is due')
from sluice.take_sleeper_locks(:w, '{}', at(0.5));
select ok(work, 'and then that there is work')
from sluice.take_sleeper_locks(:w, held_locks(), at(60));
select sluice.drop_sleeper_locks(held_locks());
select is(held_locks(), '{}', 'no lock is left behind');

select * from finish();
rollback;
