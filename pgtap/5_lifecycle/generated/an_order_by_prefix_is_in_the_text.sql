begin;
\ir ../../_helpers.sql
select plan(10);

select is(t.by_prefix like '%prefix_time_%', true, 'a submit takes the time of the prefix')
from (values (sluice.add_text(7, null, true)), (sluice.add_plain_text(true)),
  (sluice.prefix_time_text(true))) t(by_prefix);
select is(t.by_prefix like '%least(%ready_at, p_now)%', true,
  'what is taken before its time was ready when it was taken')
from (values (sluice.take_text(true)), (sluice.draw_text(true)),
  (sluice.lease_text('select', true))) t(by_prefix);
select is(t.plain ~ 'prefix_time|least\(.*ready_at, p_now', false, 'other lines know nothing of it')
from (values (sluice.add_text(7)), (sluice.add_plain_text()), (sluice.draw_text()),
  (sluice.lease_text('select', false))) t(plain);

select * from finish();
rollback;
