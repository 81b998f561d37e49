-- sluice.recount_headroom, sluice.tasks_taken, sluice.tasks_stored
begin;
\set alone
\ir ../../_helpers.sql
select plan(9);

select given_model() as m, given_tenant() as t \gset
update sluice.tenants set max_unfinished = 10 where name = :'t';
select ('sluice.load_tenant_' || md5(:'t'))::regclass as gauge, sluice.tasks_stored() as stored,
  sluice.tasks_taken() as taken \gset
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
select is(sluice.tasks_taken(), :taken + 10::bigint, 'and what it has ended');
select is(sluice.take_headroom('tenant', :'t', 3, 10, 1), 3, 'that makes room for itself');
select is(pg_sequence_last_value(:'gauge'), 13::bigint, 'for nobody else');
rollback to s;
select is(sluice.count_unfinished('tenant', :'t'), 10::bigint, 'it may come back');
select cmp_ok(sluice.tasks_taken(), '>=', :taken + 10::bigint, 'what was undone counts, too');
select is(sluice.take_headroom('tenant', :'t', 1, 10, 1), 0, 'no room');

select * from finish();
rollback;
