begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_task(:'m') as t \gset
select is_empty(format('select from sluice.completion(%s, false)', :t), 'not before');
select sluice.cancel(:t, at(1));
select results_eq(format('select status, response from sluice.completion(%s, false)', :t), $$values ('cancelled', null::text)$$,
  'then how');
select is_empty('select from sluice.completion(-1, true)', 'no such task');

select * from finish();
rollback;
