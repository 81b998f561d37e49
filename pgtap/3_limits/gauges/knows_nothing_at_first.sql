begin;
\ir ../../_helpers.sql
select plan(3);

select format('load_test_%s', pg_backend_pid()) as g \gset
select sluice.make_gauge(:'g') \g /dev/null
select is(pg_sequence_last_value(('sluice.' || :'g')::regclass), null, 'never set');
select is(nextval(('sluice.' || :'g')::regclass), sluice.gauge_unknown(),
  'full at first: the first submit counts');
select is((select relpersistence from pg_class where oid = ('sluice.' || :'g')::regclass),
  'u'::"char", 'so it is after a crash');

select * from finish();
rollback;
