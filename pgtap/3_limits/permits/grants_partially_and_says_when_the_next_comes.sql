-- sluice.take_permits
begin;
\ir ../../_helpers.sql
select plan(7);

select given_model(rpm => 600) as m \gset
select (quota_of(:'m')).interval_ns / 1000000000.0 as t \gset
select is(granted, 5, 'what is asked for, if the bucket has it')
from grant_permits(quota_of(:'m'), 5, at(0));
select is(granted, 2, 'else what is left') from grant_permits(quota_of(:'m'), 5, at(0));
select is(granted, 0, 'then none') from grant_permits(quota_of(:'m'), 5, at(0));
select is(next_at, at(0) + make_interval(secs => ceil(:t * 1000000) / 1000000),
  'the next one comes after exactly T')
from grant_permits(quota_of(:'m'), 5, at(0));
select is((grant_permits(quota_of(:'m'), 1, n.at - interval '1 microsecond')).granted, 0,
  'not a microsecond sooner')
from grant_permits(quota_of(:'m'), 0, at(0)) g(x, at), lateral (select g.at) n;
select is((grant_permits(quota_of(:'m'), 9, sluice.next_permit_at(:'m', at(0)))).granted, 1,
  'and then it is there');
select is(sluice.permits_now(model_row(:'m'), at(60)), 7,
  'an idle bucket fills to its burst, no further');

select * from finish();
rollback;
