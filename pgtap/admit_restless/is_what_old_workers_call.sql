begin;
\ir ../_helpers.sql
select plan(1);

select given_model() as m \gset
select given_route(:'m') as r \gset
select given_task(:'m', run_at => at(10)) \g /dev/null
select is(sluice.admit_restless(given_worker(), at(10)), 1, 'it wakes what is due');

select * from finish();
rollback;
