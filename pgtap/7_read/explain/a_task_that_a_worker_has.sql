begin;
\ir ../../_helpers.sql
select plan(3);

set local timezone = 'UTC';
select given_model() as m \gset
select given_worker(array[:'m']) as w, given_task(:'m') as t \gset
select claimed(:w, 1, at(1)) \g /dev/null
select is(sluice.explain(:t, at(2)),
  format('processing by worker test since 00:00:01 (attempt 1 of 3 on %s)', :'m'), 'processing');
select is(sluice.explain(:t, at(60)),
  format('held by worker test, which stopped proving life at 00:00:00: '
         'it will be taken back (attempt 1 of 3 on %s)',
    :'m'),
  'its worker is silent');
update sluice.worker set seen = at(59), dead_at = at(59) where id = :w;
select is(sluice.explain(:t, at(60)),
  format('held by worker test, which stopped proving life at 00:00:59: '
         'it will be taken back (attempt 1 of 3 on %s)',
    :'m'),
  'or was declared dead');

select * from finish();
rollback;
