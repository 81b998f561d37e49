begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_task(:'m') as t \gset
select is_empty(format('select from sluice.completion(%s)', :t), 'not before');
select sluice.cancel(:t, at(1));
select results_eq(format('select status, response from sluice.completion(%s)', :t),
  $$values ('cancelled', null::text)$$, 'then how');
select is_empty('select from sluice.completion(-1)', 'no such task');

select * from finish();
rollback;
