begin;
\ir ../_helpers.sql
select plan(2);

select given_model() as m \gset
select 'backlog_' || id_of(:'m') as line \gset
insert into sluice.backlog (task_id, ready_at, model, request_bytes, fence, rank, attempts, due, tenant)
select nextval('sluice.task_id'), at(0), id_of(:'m'), 1, 0, 0, 0, true, 'tenant ' || n from generate_series(1, 3000) n;
select ok(cardinality(sluice.waiting_lanes(array[:'line'], at(60))) between 500 and 1000, 'at most 1,000 of 3,000');
create temporary table seen on commit drop as
select distinct h.tenant from generate_series(1, 60) n cross join lateral unnest(sluice.waiting_lanes(array[:'line'], at(60 + n * 0))) h;
select ok((select count(*) from seen) > 2500, 'and of each round others: none is hidden for ever');

select * from finish();
rollback;
