-- sluice.note_unfinished
begin;
\set alone
\ir ../../_helpers.sql
select plan(7);

select given_model(max_queue => 100) as m, given_model() as n, given_tenant() as t \gset
update sluice.models set max_unfinished = 100 where name = :'m';
update sluice.tenants set max_unfinished = 100 where name = :'t';
select ('sluice.load_tenant_' || md5(:'t'))::regclass as tenant, ('sluice.load_' || id_of(:'m'))
  ::regclass as model, ('sluice.waits_' || id_of(:'m'))::regclass as line \gset
create function gauges(variadic p_of regclass[]) returns bigint[] language sql
as $$ select array(select pg_sequence_last_value(g) from unnest(p_of) g) $$;

select sluice.submit('x', :'m', tenant => :'t') from generate_series(1, 5) \g /dev/null
select sluice.submit('x', :'n', tenant => :'t') from generate_series(1, 4) \g /dev/null
select sluice.cancel_all(model => :'m') \g /dev/null
select setval(g, 1) from unnest(array[:'tenant', :'model', :'line']::regclass[]) g \g /dev/null
select sluice.redrive(t.id) from sluice.tasks t where t.model = :'m' limit 1 \g /dev/null
select is(gauges(:'tenant', :'model', :'line'), '{2,2,2}', 'a redrive');
select sluice.redrive_tasks(array(select t.id from sluice.tasks t where t.model = :'m'
  and t.status = 'cancelled'), now()) \g /dev/null
select is(gauges(:'tenant', :'model', :'line'), '{6,6,6}', 'of several');
select is(cardinality(sluice.move_waiting('queue_' || id_of(:'n'), array(select t.id
  from sluice.tasks t where t.model = :'n'), id_of(:'m'), null, null)), 4, 'some move');
select is(gauges(:'model', :'line'), '{10,10}', 'to where they are');
select lives_ok('select sluice.note_unfinished(''{}'')', 'none');
select is(gauges(:'model', :'line'), '{10,10}', 'add nothing');
update sluice.models set max_unfinished = null, max_queue = null where name = :'m';
update sluice.tenants set max_unfinished = null where name = :'t';
select lives_ok(format('select sluice.note_unfinished(array(select id from sluice.tasks '
  'where tenant = %L))', :'t'), 'where there are no bounds there are no gauges');

select * from finish();
rollback;
