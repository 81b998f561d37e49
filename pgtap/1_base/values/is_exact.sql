begin;
\ir ../../_helpers.sql
select plan(3);

select is(sluice.from_micros(0), timestamptz 'epoch', 'the beginning');
select is(sluice.from_micros(sluice.micros(timestamptz '2040-01-01 00:00:00.123457+00')),
  timestamptz '2040-01-01 00:00:00.123457+00', 'to the microsecond');
select is(sluice.seconds_between(at(1), at(3.5)), 2.5::double precision, 'a time between');

select * from finish();
rollback;
