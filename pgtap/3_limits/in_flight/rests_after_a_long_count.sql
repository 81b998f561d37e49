-- sluice.recount_full
begin;
\ir ../../_helpers.sql
select plan(5);

select given_model(max_in_flight => 2) as m \gset
select given_model(max_in_flight => 2) as other \gset
select given_worker() as w \gset
select given_tasks(:'m', 2), given_tasks(:'other', 2) \g /dev/null
select claimed(:w, 4) \g /dev/null
create table recounts (model int);
-- as beside a held snapshot
create or replace function sluice.recount_in_flight(p_model int) returns void language sql
as $$ insert into recounts values (p_model); select pg_sleep(0.5) $$;
create function counts_of(p_model text) returns bigint language sql
as $$ select count(*) from recounts where model = id_of(p_model) $$;
select is(sluice.calls_left(model_row(:'m')), 0::bigint, 'it is full') from generate_series(1, 2);
select is(counts_of(:'m'), 1::bigint, 'and is not counted again at once');
select sluice.calls_left(model_row(:'other')) \g /dev/null
select is(counts_of(:'other'), 1::bigint, 'each model has its own rest');
select set_config('sluice.recount_after_' || id_of(:'m'),
    sluice.micros(clock_timestamp() - interval '1 ms')::text, true),
  sluice.calls_left(model_row(:'m')) \g /dev/null
select is(counts_of(:'m'), 2::bigint, 'after that it is counted');

select * from finish();
rollback;
