begin;
\set alone
\ir ../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select given_task(:'m', run_at => at(60)) as t \gset
delete from sluice.rung where model = id_of(:'m');  -- or quieten locks its bell, until this transaction ends
select is(wake_in_ms, 59500::bigint, 'it says when the next task is due') from sluice.take_bells(:w, '{}', at(0.5));
select ok(work, 'and then that there is work') from sluice.take_bells(:w, array[id_of(:'m') % 64], at(60));
select sluice.drop_bells(array[id_of(:'m') % 64]);
select is((select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid() and mode = 'ExclusiveLock'
  and classid = sluice.lock_class('bell')), 0::bigint, 'no bell is left behind');

select * from finish();
rollback;
