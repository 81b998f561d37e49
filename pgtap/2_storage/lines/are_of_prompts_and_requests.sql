begin;
\ir ../../_helpers.sql
select plan(1);

select given_model() as m \gset
select given_route(:'m') as r \gset
select is(cardinality(sluice.lines_of_route(:'r')), 2, 'one for prompts, one for the api');

select * from finish();
rollback;
