begin;
\ir ../../_helpers.sql
select plan(2);

select given_worker(p_now => at(0)) as w \gset
select sluice.heartbeat(:w, at(15)) \g /dev/null
select is((select beating_since from sluice.worker where id = :w), at(0),
  'one time-out exactly is no gap');
select sluice.heartbeat(:w, at(30.1)) \g /dev/null
select is((select beating_since from sluice.worker where id = :w), at(30.1),
  'more is: its run of beats begins anew');

select * from finish();
rollback;
