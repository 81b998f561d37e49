-- sluice.fair_turns
begin;
\ir ../../_helpers.sql
\ir _fair_turns.sql
select plan(2);

select given_model() as m \gset
select waits(:'m', 'big', 100000), waits(:'m', 'small', 10, p_ready => at(50)) \g /dev/null
select is((select count(*) from turns(:'m', 64) where tenant = 'small'), 10::bigint,
  'a small tenant is in the next 64');
select ok((select max(place) from turns(:'m', 64) where tenant = 'small') <= 21,
  'every second turn is its own');

select * from finish();
rollback;
