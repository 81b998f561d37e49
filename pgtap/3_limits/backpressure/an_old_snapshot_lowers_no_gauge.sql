-- sluice.recount_headroom: above READ COMMITTED.
begin isolation level repeatable read;
\set alone
\ir ../../_helpers.sql
select plan(6);

select given_model() as m \gset
select given_tenant() as t \gset
update sluice.tenants set max_unfinished = 100 where name = :'t';
select ('sluice.load_tenant_' || md5(:'t'))::regclass as gauge \gset
select setval(:'gauge', 100) \g /dev/null
select is(sluice.take_headroom('tenant', :'t', 1, 100, 1), 1, 'its own count finds room');
select is(pg_sequence_last_value(:'gauge'), 102::bigint, 'the gauge goes up');
select is(sluice.take_headroom('tenant', :'t', 60, 100, 1), 60, 'also for many');
select is(pg_sequence_last_value(:'gauge'), 162::bigint, 'by as many');
select setval('sluice.load_all', sluice.gauge_unknown()) \g /dev/null
select is(sluice.take_headroom('system', null, 1, 1000000, 1), 1, 'the system''s goes by ids');
select is(pg_sequence_last_value('sluice.load_all'), sluice.gauge_unknown(), 'and stays as it was');

select * from finish();
rollback;
