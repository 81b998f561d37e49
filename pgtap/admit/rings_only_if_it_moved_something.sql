begin;
\ir ../_helpers.sql
select plan(2);

select given_model() as m \gset
insert into sluice.backlog (task_id, ready_at, model, request_bytes, fence, rank, attempts, due, tenant)
select 1, at(10), id_of(:'m'), 1, 0, 0, 0, false, 'default';
select sluice.admit(:'m', null, at(1)) \g /dev/null
select ok(not rung(:'m'), 'nothing moved, nobody is woken');
select sluice.admit(:'m', null, at(10)) \g /dev/null
select ok(rung(:'m'), 'a task moved, the bell rings');

select * from finish();
rollback;
