begin;
\set alone
\ir ../../_helpers.sql
select plan(4);

select given_worker(p_now => at(0)) as w \gset
select sluice.recover(null, at(100)) \g /dev/null
select sluice.heartbeat(:w, at(101)) \g /dev/null
select sluice.recover(null, at(117)) \g /dev/null
select is((select dead_at from sluice.worker where id = :w), null,
  'it has beaten since the first look');
select is((select suspected_at from sluice.worker where id = :w), at(117),
  'silent again, it is suspected anew');
select sluice.recover(null, at(131)) \g /dev/null
select is((select dead_at from sluice.worker where id = :w), null,
  'from then on a time-out is counted');
select sluice.recover(null, at(132)) \g /dev/null
select is((select dead_at from sluice.worker where id = :w), at(132), 'then it is dead');

select * from finish();
rollback;
