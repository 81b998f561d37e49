begin;
\ir ../../_helpers.sql
select plan(4);

set local timezone = 'UTC';
select given_model(max_attempts => 1) as m \gset
select given_worker(array[:'m']) as w, given_task(:'m', prompt => 'a secret') as t,
  given_task(:'m') as u \gset
select claimed(:w, 2, at(1)) \g /dev/null
select completed(:w, told(:t, 'solved')),
  completed(:w, told(:u, 'retry', error => e'no\n  luck')) \g /dev/null
select is(sluice.explain(:t, at(3)),
  format('solved on %s at 00:00:02 after 1 attempt', :'m'), 'solved');
select is(sluice.explain(:u, at(3)),
  format('failed on %s at 00:00:02 after 1 attempt: no luck; '
         'redrive with sluice redrive %s', :'m', :u),
  'failed');
select given_task(:'m') as c, given_task(:'m', deadline => at(1)) as d \gset
select sluice.cancel(:c, at(4)) \g /dev/null
select is(sluice.explain(:c, at(5)), format('cancelled on %s at 00:00:04', :'m'), 'cancelled');
select claimed(:w, 1, at(5)) \g /dev/null
select is(sluice.explain(:d, at(6)),
  format('expired on %s at 00:00:05: its deadline passed before a worker could start it', :'m'),
    'expired');

select * from finish();
rollback;
