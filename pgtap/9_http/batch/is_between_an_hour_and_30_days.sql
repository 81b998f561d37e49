begin;
\ir ../../_helpers.sql
select plan(5);

select is(sluice.lifetime_of('{"anchor": "created_at", "seconds": 3600}', '1 day'),
  interval '1 hour', 'the least');
select is(sluice.lifetime_of('{"anchor": "created_at", "seconds": 2592000}', '1 day'),
  interval '720 hours', 'the most');
select is(sluice.lifetime_of(null, '1 day'), interval '1 day', 'the default');
select is(sluice.lifetime_of('null', '1 day'), interval '1 day', 'said otherwise');
select is_empty($$select e from unnest(array['{"anchor": "created_at", "seconds": 3599}',
  '{"anchor": "created_at", "seconds": 2592001}',
    '{"anchor": "created_at", "seconds": "7200"}', '{"anchor": "created_at", "seconds": null}',
      '{"anchor": "created_at"}',
    '{"anchor": "ended_at", "seconds": 7200}', '{"seconds": 7200}', '{}', '[]', '"created_at"',
      '7200', 'true',
    '{"anchor": "created_at", "seconds": 1e300}', '{"anchor": "created_at", "seconds": -7200}']) e
  where (error_of(format('select sluice.lifetime_of(%L, ''1 day'')',
    e))).code is distinct from 'SL004'$$, 'nothing else');

select * from finish();
rollback;
