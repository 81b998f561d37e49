-- sluice.recount_headroom, sluice.own_moves, sluice.tasks_stored
begin;
\set alone
\ir ../../_helpers.sql
select plan(10);

select given_model() as m, given_tenant() as t \gset
update sluice.tenants set max_unfinished = 10 where name = :'t';
select ('sluice.load_tenant_' || md5(:'t'))::regclass as gauge, sluice.tasks_stored() as stored,
  departed as taken from sluice.own_moves() \gset
select sluice.submit('x', :'m', tenant => :'t') from generate_series(1, 10) \g /dev/null
select is(sluice.tasks_stored(), :stored + 10::bigint, 'a transaction knows what it has stored');
-- As a count by others would, who do not see them:
select setval(:'gauge', 1) \g /dev/null
select is(sluice.take_headroom('tenant', :'t', 1, 10, 1), 0, 'it has no more than a tenant may');
select setval(:'gauge', 1) \g /dev/null
select is(sluice.take_headroom('tenant', :'t', 1, 11, 1), 1, 'but as much');
select setval(:'gauge', 10) \g /dev/null
savepoint s;
select sluice.cancel_all(tenant => :'t') \g /dev/null
select is((sluice.own_moves()).departed, :taken + 10::bigint, 'and what it has ended');
select is(sluice.take_headroom('tenant', :'t', 3, 10, 1), 3, 'that makes room for itself');
select is(pg_sequence_last_value(:'gauge'), 13::bigint, 'for nobody else');
rollback to s;
select is(sluice.count_unfinished('tenant', :'t'), 10::bigint, 'it may come back');
select cmp_ok((sluice.own_moves()).departed, '>=', :taken + 10::bigint,
  'what was undone counts, too');
select is(sluice.take_headroom('tenant', :'t', 1, 10, 1), 0, 'no room');
select arrived from sluice.own_moves() \gset
select sluice.cancel_all(tenant => :'t') \g /dev/null
select sluice.redrive(id) from sluice.task where tenant = :'t' \g /dev/null
select is((sluice.own_moves()).arrived, :arrived + 10::bigint, 'what it redrives is its own, too');

select * from finish();
rollback;
