begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
insert into sluice.later (task_id, ready_at, model, request_bytes, fence, rank, attempts, tenant)
select n, at(n), id_of(:'m'), 1, 0, 0, 0, 'default' from generate_series(1, 1500) n;
select is(sluice.wake(at(2000)), 1000, 'a thousand');
select is((select min(ready_at) from sluice.later), at(1001), 'those that were due first');
select is(sluice.wake(at(2000)), 500, 'then the others');

select * from finish();
rollback;
