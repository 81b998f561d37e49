begin;
\ir ../_helpers.sql
select plan(6);

select given_model() as m \gset
create function pace_of(p_model text, p_now timestamptz) returns text language sql
as $$ select taken || ' in ' || within_s from sluice.pace(id_of(p_model), p_now) $$;
select is(pace_of(:'m', at(0)), null, 'nothing is known of a new model');
select sluice.set_counter('claimed', id_of(:'m'), 1000), sluice.note_pace(id_of(:'m'), at(0)) \g /dev/null
select sluice.set_counter('claimed', id_of(:'m'), 1100), sluice.note_pace(id_of(:'m'), at(5)) \g /dev/null
select is(pace_of(:'m', at(5)), '100 in 5', 'a sample up to 5 s old stays');
select sluice.set_counter('claimed', id_of(:'m'), 1200), sluice.note_pace(id_of(:'m'), at(10)) \g /dev/null
select is(pace_of(:'m', at(10)), '50 in 2.5', 'an older one slides; the pace stays: 20 a second');
select is(pace_of(:'m', at(-10)), null, 'a clock set back: nothing is known');
select sluice.note_pace(id_of(:'m'), at(-10)) \g /dev/null
select is(pace_of(:'m', at(-9)), '0 in 1', 'and a new sample begins');
select forget_counter('paced', :'m') \g /dev/null
select is(pace_of(:'m', at(0)), null, 'as after a crash');

select * from finish();
rollback;
