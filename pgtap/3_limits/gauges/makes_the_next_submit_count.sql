begin;
\ir ../../_helpers.sql
select plan(5);

select given_model() as m \gset
update sluice.models set max_unfinished = 10 where name = :'m';
select sluice.set_counter('load', id_of(:'m'), 0) \g /dev/null
-- Rows that no submit has counted, as a redrive leaves them.
select count(given_row(:'m', at(0), -n)) from generate_series(1, 10) n \g /dev/null
select lives_ok(format('select given_task(%L)', :'m'), 'the gauge does not know');
select sluice.invalidate_gauges() \g /dev/null
select is((error_of(format('select given_task(%L)', :'m'))).message,
  format('model "%s" is full: 11 of 10 unfinished', :'m'),
  'now it was counted');
select sluice.set_counter('load', id_of(:'m'),
  sluice.micros(clock_timestamp() + interval '1 hour')) \g /dev/null
select sluice.invalidate_gauges() \g /dev/null
select cmp_ok(sluice.counter('load', id_of(:'m')), '>', sluice.micros(clock_timestamp()),
  'a count that is forbidden stays so');

update sluice.models set max_unfinished = null, max_queue = 12 where name = :'m';
select sluice.set_counter('load', id_of(:'m'), 0) \g /dev/null
select lives_ok(format('select given_task(%L)', :'m'), 'one more than the eleven may wait');
select count(given_row(:'m', at(0), -n)) from generate_series(11, 12) n \g /dev/null
select sluice.invalidate_gauges() \g /dev/null
select is((error_of(format('select given_task(%L)', :'m'))).code, 'SL003',
  'what was put back counts for max_queue, too');

select * from finish();
rollback;
