begin;
\ir ../../_helpers.sql
select plan(13);

select is((sluice.quota_of('b', null, units, burst, at(0))).interval_ns, ns,
  format('%s a minute, burst %s', units, burst))
from (values (1, 1, 60250000000), (600, null, 101430977), (600, 300, 200166113),
  (6000000, null, 10144)) v(units, burst, ns);
select is((sluice.quota_of('b', null, 600, 7, at(0))).interval_ns,
  ceil(60250000000 / 594.0)::bigint, '(W + d) / (N - b + 1), rounded up');
select is((sluice.quota_of('b', null, units, burst, at(0))).burst, b,
  format('%s a minute, burst %s: %s', units, burst, b))
from (values (1, null, 1), (99, null, 1), (100, null, 2), (600, null, 7), (600, 1, 1),
  (600, 300, 300)) v(units, burst, b);
select is(sluice.quota_of('b', null, null, null, at(0))::text, null, 'no units, no quota');
select cmp_ok(sluice.send_within_ms(), '<', sluice.send_allowance_ms(),
  'a permit must be sent before its allowance ends');

select * from finish();
rollback;
