begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as a \gset
select given_model() as b \gset
select given_route(:'a', :'b') as r \gset
select given_task(:'a') as named \gset
select given_task(:'r') from generate_series(1, 8) \g /dev/null
select is(sluice.cancel_all(:'r', p_now => at(1)), 8::bigint, 'all that wait for it');
select is(places(:named), 'queue', 'what named a model itself stays');

select * from finish();
rollback;
