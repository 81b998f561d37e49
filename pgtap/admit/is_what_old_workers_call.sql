begin;
\ir ../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_route(:'m') as r \gset
select given_task(:'m', run_at => at(10)) \g /dev/null
select is(sluice.admit(:'m', null, at(10)), 1, 'it wakes what is due');
select given_task(:'m', run_at => at(11)) \g /dev/null
select is(sluice.admit(:'m', null, at(11)), 0, 'once a transaction: it is called for each of 1,000 models in one statement');

select * from finish();
rollback;
