begin;
\ir ../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_route(:'m') as r \gset
select is(sluice.waiting_in_route(:'r'), 0::bigint, 'nothing');
select given_task(:'r') \g /dev/null
select given_task(:'r', run_at => at(50)) \g /dev/null
select given_task(:'m') \g /dev/null
select is(sluice.waiting_in_route(:'r'), 2::bigint, 'both, but not the model''s');

select * from finish();
rollback;
