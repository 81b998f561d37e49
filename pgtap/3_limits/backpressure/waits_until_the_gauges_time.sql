begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select is(sluice.may_count('model', id_of(:'m')::text), true, 'a gauge that counts');
select sluice.set_counter('load', id_of(:'m'),
  sluice.micros(clock_timestamp() + interval '1 minute')) \g /dev/null
select is(sluice.may_count('model', id_of(:'m')::text), false, 'one that tells until when not');
select sluice.set_counter('load', id_of(:'m'),
  sluice.micros(clock_timestamp() - interval '1 minute')) \g /dev/null
select is(sluice.may_count('model', id_of(:'m')::text), true, 'when that has come');
select forget_counter('load', :'m') \g /dev/null
select is(sluice.may_count('model', id_of(:'m')::text), true, 'after a crash');

select * from finish();
rollback;
