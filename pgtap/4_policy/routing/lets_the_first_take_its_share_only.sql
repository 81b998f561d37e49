-- sluice.note_asks
begin;
\ir ../../_helpers.sql
select plan(1);

select given_model() as a, given_model() as b \gset
select given_route(:'a', :'b') as r \gset
select given_worker(array[:'a', :'b']) as w \gset
select given_tasks(:'r', 600) \g /dev/null
select claimed(:w, 600, at(1)) \g /dev/null
select ok(max(n) <= 364, 'neither has all: ' || string_agg(n::text, ' and '))
from (select count(*) as n from sluice.lease
  where worker = :w group by model) x;

select * from finish();
rollback;
