begin;
\ir ../../_helpers.sql
select plan(5);

select given_model() as m \gset
select sluice.close_model(:'m', at(10), 'maintenance');
select results_eq(format('select closed_until, closed_reason from sluice.models where name = %L',
  :'m'), $$values (at(10), 'maintenance'::text)$$, 'until when, and why');
select sluice.close_model(:'m', null);
select results_eq(format('select closed_until, closed_reason from sluice.models where name = %L',
  :'m'), 'values (null::timestamptz, null::text)', 'null opens it');
select sluice.close_model(:'m', 'infinity');
select is((model_row(:'m')).closed_until, 'infinity', 'infinity parks it');
select sluice.close_model(:'m', at(-10));
select is((model_row(:'m')).closed_until, at(-10), 'the past opens it');
select is((error_of($$select sluice.close_model('nobody', now())$$)).code, 'SL001',
  'an unknown model is SL001');

select * from finish();
rollback;
