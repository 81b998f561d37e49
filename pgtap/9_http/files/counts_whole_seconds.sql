begin;
\ir ../../_helpers.sql
select plan(3);

select is(sluice.unix_time('2000-01-01 00:00:00.999+00'), 946684800::bigint, 'rounded down');
select is(sluice.unix_time('1999-12-31 23:00:00-01'), 946684800::bigint, 'whatever the zone');
select is(sluice.unix_time(null), null, 'no time is no time');

select * from finish();
rollback;
