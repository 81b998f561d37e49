begin;
\ir ../_helpers.sql
select plan(2);

select given_worker() as w \gset
select is(sluice.worker_name(:w), 'test', 'by name');
select is(sluice.worker_name(-7), '-7', 'later by id');

select * from finish();
rollback;
