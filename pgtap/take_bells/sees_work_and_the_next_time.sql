begin;
\set alone
\ir ../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select given_task(:'m', run_at => at(60)) as t \gset
delete from sluice.rung where line = id_of(:'m');  -- or quieten locks its bell, until this transaction ends
select is(wake_in_ms, 59500::bigint, 'it says when the next task is due') from sluice.take_bells(:w, '{}', at(0.5));
select ok(work, 'and then that there is work') from sluice.take_bells(:w, held_bells(), at(60));
select sluice.drop_bells(held_bells());
select is(held_bells(), '{}', 'no bell is left behind');

select * from finish();
rollback;
