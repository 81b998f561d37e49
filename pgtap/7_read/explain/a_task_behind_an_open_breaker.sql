begin;
\ir ../../_helpers.sql
select plan(2);

set local timezone = 'UTC';
select given_model() as m \gset
select given_route(:'m') as r \gset
select given_task(:'m') as t \gset
select given_task(:'r') as routed \gset
select sluice.move_breaker(id_of(:'m'), 'closed', 'open', '5 failures in a row', at(1)) \g /dev/null
select is(sluice.explain(:t, at(2)), format('queued for %s: first in its queue, '
  'the breaker is open until 00:00:31 (5 failures in a row)', :'m'), 'the breaker and its end');
select is(sluice.explain(:routed, at(2)), format('queued for route %s: first in its queue, '
  'no model can take it now: %s (the breaker is open until 00:00:31: 5 failures in a row)', :'r',
    :'m'), 'of a route: that of its model, in one pair of brackets');

select * from finish();
rollback;
