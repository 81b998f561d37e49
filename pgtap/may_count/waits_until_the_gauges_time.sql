begin;
\ir ../_helpers.sql
select plan(4);

select given_model() as m \gset
select is(sluice.may_count(id_of(:'m'), null), true, 'a gauge that counts');
select sluice.set_counter('load', id_of(:'m'), sluice.micros(clock_timestamp() + interval '1 minute')) \g /dev/null
select is(sluice.may_count(id_of(:'m'), null), false, 'one that tells until when not');
select sluice.set_counter('load', id_of(:'m'), sluice.micros(clock_timestamp() - interval '1 minute')) \g /dev/null
select is(sluice.may_count(id_of(:'m'), null), true, 'when that has come');
select forget_counter('load', :'m') \g /dev/null
select is(sluice.may_count(id_of(:'m'), null), true, 'after a crash');

select * from finish();
rollback;
