begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select sluice.pause(:'m'), sluice.close_model(:'m', 'infinity', 'no credit') \g /dev/null
select sluice.resume(:'m');
select results_eq(format('select paused, closed_until, closed_reason from sluice.models '
                         'where name = %L', :'m'),
  'values (false, null::timestamptz, null::text)', 'nothing holds it back');
select is((error_of($$select sluice.resume('nobody')$$)).code, 'SL001',
  'an unknown model is SL001');

select * from finish();
rollback;
