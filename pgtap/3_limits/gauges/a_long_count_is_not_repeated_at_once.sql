begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
update sluice.models set max_unfinished = 10 where name = :'m';
select given_tasks(:'m', 10) \g /dev/null
-- As a long count leaves it: full, and nobody counts again for an hour.
select sluice.set_counter('load', id_of(:'m'),
  sluice.micros(clock_timestamp() + interval '1 hour')) \g /dev/null
select is((error_of(format('select given_task(%L)',
    :'m'))).message, format('model "%s" is full: 10 of 10 unfinished', :'m'),
  'refused without a count');
update sluice.models set max_unfinished = 20 where name = :'m';
select sluice.set_counter('load', id_of(:'m'), sluice.micros(clock_timestamp())) \g /dev/null
select lives_ok(format('select given_task(%L)', :'m'), 'counted when the time has come');
select is(sluice.counter('load', id_of(:'m')), 11::bigint, 'and the gauge is a number again');
select is(sluice.take_headroom('model', id_of(:'m')::text, 20, 20, 0.95), 9, 'it may take a part');

select * from finish();
rollback;
