-- sluice.submit
begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as a, given_model() as b \gset
update sluice.models set max_unfinished = 20, paused = true where name in (:'a', :'b');
select given_route(:'a', :'b') as r \gset
-- Nobody is open: all wait in the route. Which model each counts for is drawn; a count shares them
-- out anew.
select count((error_of(format('select given_task(%L)', :'r'))).code) as refused
from generate_series(1, 100) \gset
select cmp_ok(100 - :refused, '<=', 46, 'they fill both models');
select cmp_ok(100 - :refused, '>=', 38, 'wholly');

select * from finish();
rollback;
