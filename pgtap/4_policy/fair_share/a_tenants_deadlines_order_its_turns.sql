-- sluice.fair_turns
begin;
\ir ../../_helpers.sql
\ir _fair_turns.sql
select plan(3);

select given_model() as m \gset
select waits(:'m', 'a', 2), waits(:'m', 'a', 1, p_deadline => at(900)),
  waits(:'m', 'a', 1, p_deadline => at(800)) \g /dev/null
select results_eq(format('select deadline from turns(%L, 9) order by place', :'m'),
  $$values (at(800)), (at(900)), (null), (null)$$, 'earliest first, those without one last');
select results_eq(format('select deadline from turns(%L, 1)', :'m'),
  $$values (at(800))$$, 'also when there is one place only');
select waits(:'m', 'b', 40) \g /dev/null
select ok((select count(*) from turns(:'m', 8) where tenant = 'b') = 4,
  'but a deadline takes nothing from another tenant');

select * from finish();
rollback;
