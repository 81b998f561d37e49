begin;
\set alone
\ir ../../_helpers.sql
select plan(4);

update pg_class set reltuples = 1000, relpages = 20, relallvisible = 20
where oid = 'sluice.result_0'::regclass;
select is(sluice.walk_cost(0), 1000::bigint, 'vacuumed: the keys');
update pg_class set relallvisible = 10 where oid = 'sluice.result_0'::regclass;
select is(sluice.walk_cost(0), 5500::bigint, 'half of it');
update pg_class set relallvisible = 0 where oid = 'sluice.result_0'::regclass;
select is(sluice.walk_cost(0), 10000::bigint, 'not vacuumed at all');
update pg_class set reltuples = -1, relpages = 0 where oid = 'sluice.result_0'::regclass;
select is(sluice.walk_cost(0), 10 * (pg_relation_size('sluice.result_0') / 100),
  'never counted: by its size');

select * from finish();
rollback;
