-- sluice.may_take
begin;
\ir ../../_helpers.sql
select plan(2);

-- Weights of 0: nothing goes there, whoever asks.
select given_model() as a \gset
select given_route(:'a') as r \gset
select given_worker(array[:'a']) as w \gset
update sluice.routes set weight = 0 where route = :'r';
select given_task(:'r') as t \gset
select is(claimed(:w, 9), '{}', 'a model without weight takes none of the route');
update sluice.routes set weight = 0.5 where route = :'r';
select is(claimed(:w, 9), array[:t]::bigint[], 'with one it does');

select * from finish();
rollback;
