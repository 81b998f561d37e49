begin;
\ir ../../_helpers.sql
select plan(3);

set local timezone = 'UTC';
select given_model() as m \gset
select is(sluice.explain(given_task(:'m', run_at => at(60)), at(1)),
  format('waits until 00:01:00 (run_at) for %s', :'m'), 'today');
select given_task(:'m', run_at => at(86400)) as t \gset
select is(sluice.explain(:t, at(1)),
  format('waits until 2040-01-02 00:00:00 (run_at) for %s', :'m'), 'another day: with the date');
set local timezone = 'Etc/GMT-3';
select is(sluice.explain(:t, at(86000)),
  format('waits until 03:00:00 (run_at) for %s', :'m'), 'in the time zone of the session');

select * from finish();
rollback;
