begin;
\ir ../../_helpers.sql
select plan(7);

select given_model() as m \gset
select id_of(:'m')::text as id \gset
select is(sluice.may_count('model', :'id', 0.95), true, 'a gauge that counts');
select sluice.set_counter('load', id_of(:'m'),
  sluice.micros(clock_timestamp() + interval '1 minute')) \g /dev/null
select is(sluice.may_count('model', :'id', 0.95), false, 'one that tells until when not');
select sluice.set_counter('load', id_of(:'m'),
  sluice.micros(clock_timestamp() - interval '1 minute')) \g /dev/null
select is(sluice.may_count('model', :'id', 0.95), true, 'when that has come');
select forget_counter('load', :'m') \g /dev/null
select is(sluice.may_count('model', :'id', 0.95), true, 'after a crash');

select setval(sluice.critical_time('model', :'id'),
  sluice.micros(clock_timestamp() + interval '1 minute')) \g /dev/null
select is(sluice.may_count('model', :'id', 0.85), false, 'the front has its own time');
select is(sluice.may_count('model', :'id', 0.95), true, 'which is not that of SQL');
select is(sluice.critical_time('system', null)::text, 'sluice.critical_all', 'so has the system');

select * from finish();
rollback;
