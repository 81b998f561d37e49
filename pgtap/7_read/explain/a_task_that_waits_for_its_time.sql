begin;
\ir ../../_helpers.sql
select plan(4);

set local timezone = 'UTC';
select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select is(sluice.explain(given_task(:'m', run_at => at(60)), at(1)),
  format('waits until 00:01:00 (run_at) for %s', :'m'), 'today');
select given_task(:'m', run_at => at(86400)) as t \gset
select is(sluice.explain(:t, at(1)),
  format('waits until 2040-01-02 00:00:00 (run_at) for %s', :'m'), 'another day: with the date');
set local timezone = 'Etc/GMT-3';
select is(sluice.explain(:t, at(86000)),
  format('waits until 03:00:00 (run_at) for %s; no live worker serves the model', :'m'),
  'in the time zone of the session');
select sluice.configure_route('r', jsonb_build_object(:'m', 1)) \g /dev/null
select sluice.submit('p', 'r', run_at => at(86400), p_now => at(86000)) as routed \gset
select is(sluice.explain(:routed, at(86000)),
  'waits until 03:00:00 (run_at) for r; no live worker serves a model of the route', 'of a route');

select * from finish();
rollback;
