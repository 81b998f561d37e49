begin;
\ir ../../_helpers.sql
select plan(5);

select given_worker(p_now => at(0)) as w \gset
select is_empty(format('select * from sluice.heartbeat(%s, at(5))', :w), 'nothing to abort');
select results_eq(format('select seen, beating_since from sluice.worker where id = %s', :w),
  'values (at(5), at(0))', 'seen now, beating since it registered');
select is_empty(format('select * from sluice.heartbeat(%s, at(3))', :w), 'the clock was set back');
select results_eq(format('select seen, beating_since from sluice.worker where id = %s', :w),
  'values (at(3), at(3))', 'it begins anew: a time in the future would keep it alive until then');
select is_empty('select * from sluice.heartbeat(1)', 'an unknown worker is no error');

select * from finish();
rollback;
