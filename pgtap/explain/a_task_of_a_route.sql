begin;
\ir ../_helpers.sql
select plan(3);

set local timezone = 'UTC';
select given_model() as a, given_model() as b \gset
select given_route(:'a', :'b') as r \gset
select sluice.pause(m) from unnest(array[:'a', :'b']) m \g /dev/null
select given_task(:'r') as t \gset
select is(sluice.explain(:t, at(1)),
  format('queued for route %s: first in its queue, none of its models is open', :'r'),
  'none is open');
select sluice.resume(:'b') \g /dev/null
select is(sluice.explain(:t, at(1)),
  format('queued for route %s: first in its queue, open: %s, but no live worker serves them', :'r', :'b'),
  'one is');
select given_worker(array[:'b']) \g /dev/null
select is(sluice.explain(:t, at(2)),
  format('queued for route %s: first in its queue, open: %s', :'r', :'b'), 'and somebody serves it');

select * from finish();
rollback;
