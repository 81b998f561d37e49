begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as a \gset
select given_model() as b \gset
select given_route(:'a') as r \gset
select given_task(:'r') as t \gset
update sluice.routes set model = :'b' where route = :'r';
select is(sluice.candidate_queues(:t, null, :'r', 2), array[id_of(:'a')], 'the second look is at all queues');
select is((select status from sluice.task(:t)), 'queued', 'so it is found');
select is(sluice.cancel(:t), 'cancelled', 'and cancelled');

select * from finish();
rollback;
