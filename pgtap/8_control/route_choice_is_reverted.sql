-- sluice.set_prefer
begin;
\ir ../_helpers.sql
select plan(1);

select given_model() as a, given_model() as b \gset
select given_route(:'a', :'b') as r \gset
select sluice.set_prefer(:'r', 'latency') \g /dev/null
select max(id) as id from sluice.revisions where kind = 'routes' and name = :'r' \gset
select sluice.revert(:id) \g /dev/null
select is((select string_agg(distinct prefer, ' ') from sluice.routes where route = :'r'),
  'weight', 'of all its rows');

select * from finish();
rollback;
