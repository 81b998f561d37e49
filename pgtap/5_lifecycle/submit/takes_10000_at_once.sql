-- sluice.submit_many
begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_model() as n \gset
select given_route(:'m', :'n') as r \gset
select cardinality(given_tasks(:'r', 10000)) as made \gset
select is(:made, 10000, '10,000 ids');
select is(cardinality(queued(:'r')), 10000, 'each in the route''s line');

select * from finish();
rollback;
