-- Others that find its rows locked meanwhile set the mark behind them: a flood of 100,000 that four
-- sessions moved took 23 s instead of 3.
begin;
\set alone
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
insert into sluice.later (task_id, ready_at, model, request_bytes, fence, rank, attempts, tenant)
select n, at(n), id_of(:'m'), 1, 0, 0, 0, 'default' from generate_series(10, 209) n;
create or replace function sluice.put_back(p_rows sluice.later[], p_ready timestamptz)
returns void language sql
as $$ select sluice.set_mark(0, 0::smallint, 0, max(r.ready_at)) from unnest(p_rows) r $$;
select is(sluice.wake(at(300)), 200, 'they are moved');
select is(sluice.mark_of(0, 0::smallint, 0), at(10), 'its own mark holds');

select * from finish();
rollback;
