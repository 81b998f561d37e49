begin;
\ir ../_helpers.sql
select plan(7);

select is(sluice.permit_interval_ns(model_row(given_model(rpm => rpm, burst => burst))), ns,
  format('rpm %s, burst %s', rpm, burst))
from (values (1, 1, 60250000000), (600, null, 101430977), (600, 300, 200166113), (6000000, null, 10144)) v(rpm, burst, ns);
select is(sluice.permit_burst(model_row(given_model(rpm => 99))), 1, 'the default burst of a small quota is 1');
select is(sluice.permit_burst(model_row(given_model(rpm => 600, burst => 20))), 20, 'a burst that is given holds');
select cmp_ok(sluice.send_within_ms(), '<', sluice.send_allowance_ms(), 'a permit must be sent before its allowance ends');

select * from finish();
rollback;
