begin;
\ir ../_helpers.sql
select plan(7);

select is(sluice.permit_burst(model_row(given_model(rpm => rpm, burst => burst))), b, format('rpm %s, burst %s: %s', rpm, burst, b))
from (values (1, null, 1), (99, null, 1), (100, null, 2), (600, null, 7), (600, 1, 1), (600, 300, 300)) v(rpm, burst, b);
select is(sluice.permit_burst(model_row(given_model())), null, 'no quota, no burst');

select * from finish();
rollback;
