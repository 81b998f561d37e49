begin;
\ir ../../_helpers.sql
select plan(4);

set local timezone = 'UTC';
select given_model(max_in_flight => 1) as m, given_model() as n \gset
select given_tasks(:'m', 2) as ms, given_tasks(:'n', 12) as ns \gset
select is(sluice.explain((:'ms'::bigint[])[2], at(1)),
  format('queued for %s: 1 ahead, no live worker serves the model', :'m'), 'nobody is there');
select given_worker(array[:'m']) as w \gset
select is(sluice.explain((:'ns'::bigint[])[2], at(1)),
  format('queued for %s: 1 ahead, no live worker serves the model', :'n'),
  'a worker for another model does not count');
select claimed(:w, 2) \g /dev/null
select is(sluice.explain((:'ms'::bigint[])[2], at(1)),
  format('queued for %s: first in its queue, all calls that max_in_flight allows are under way (1)',
    :'m'),
  'the model is busy');
select given_worker(array[:'n']) as x \gset
select claimed(:x, 10) \g /dev/null
select is(sluice.explain((:'ns'::bigint[])[12], at(1)),
  format('queued for %s: 1 ahead, all slots of its workers are busy (10)', :'n'),
    'the workers are busy');

select * from finish();
rollback;
