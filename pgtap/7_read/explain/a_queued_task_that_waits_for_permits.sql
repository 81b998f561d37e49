begin;
\ir ../../_helpers.sql
select plan(4);

set local timezone = 'UTC';
-- b = 7, T = 60.25 s / 594: 101.43 ms.
select given_model(rpm => 600) as m \gset
select given_worker(array[:'m']) as w \gset
select given_tasks(:'m', 320) as ts \gset
select is(sluice.explain((:'ts'::bigint[])[3], at(1)),
  format('queued for %s: 2 ahead, permits now: 7 (rpm 600)', :'m'), 'a permit for it is there');
select is(sluice.explain((:'ts'::bigint[])[107], at(1)),
  format('queued for %s: 106 ahead, permits now: 7 (rpm 600), expected start 00:00:11', :'m'),
  'the first seven at once, a hundred more by the interval');
select claimed(:w, 7) \g /dev/null
select is(sluice.explain((:'ts'::bigint[])[319], at(1.05)),
  format('queued for %s: 311 ahead, next permit 00:00:01 (rpm 600), expected start 00:00:32', :'m'),
  'the example of the manual');
select claimed(:w, 3, at(2)) \g /dev/null
select is(sluice.explain((:'ts'::bigint[])[319], at(33)),
  format('queued for %s: 308 ahead, no live worker serves the model', :'m'),
    'no start is expected of nobody');

select * from finish();
rollback;
