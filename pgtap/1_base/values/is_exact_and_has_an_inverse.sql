begin;
\ir ../../_helpers.sql
select plan(5);

select is(sluice.micros('epoch'), 0::bigint, 'the epoch is 0');
select is(sluice.micros('2040-01-01 00:00:00.000001+00'), 2208988800000001,
  'a microsecond is not lost');
select is(sluice.from_micros(2208988800000001), '2040-01-01 00:00:00.000001+00',
  'nor on the way back');
select is((select count(*) from generate_series(1, 5000) n,
             lateral (select at(0) + n * interval '1000003 microseconds' as t) x
           where sluice.from_micros(sluice.micros(x.t)) <> x.t), 0::bigint,
             '5,000 times come back unchanged');
select is(sluice.micros(null), null, 'no time is no number');

select * from finish();
rollback;
