begin;
\ir ../../_helpers.sql
select plan(2);

set local timezone = 'Asia/Kathmandu';
select is(sluice.rfc3339('2040-01-01 00:00:00.5+01'), '2039-12-31T23:00:00.500000Z',
  'whatever the session''s zone');
select is(sluice.rfc3339(null), null, 'no time is no time');

select * from finish();
rollback;
