begin;
\ir ../../_helpers.sql
select plan(7);

set local timezone = 'UTC';
select given_model() as a, given_model() as b, given_model(rpm => 60, burst => 1) as c,
  given_model() as d \gset
select given_route(:'a', :'b', :'c', :'d') as r \gset
select given_task(:'r') as first, given_task(:'r') as t \gset
select is(sluice.explain(:t, at(1)),
  replace(format('queued for route %s: 1 ahead, no model can take it now: '
                 '%s (!), %s (!), %s (!), %s (!)', :'r', :'a', :'b', :'c', :'d'),
    '!', 'no live worker serves the model'),
  'nobody works');
select given_worker(array[:'a', :'b', :'c']) as w \gset
select sluice.pause(:'a') \g /dev/null
select sluice.close_model(:'b', at(60)) \g /dev/null
select is(sluice.explain(:t, at(1)),
  format('queued for route %s: 1 ahead, no model can take it now: %s (the model is paused), '
  '%s (the model is closed until 00:01:00), %s (has not asked for 1 s), '
  '%s (no live worker serves the model)',
  :'r', :'a', :'b', :'c', :'d'),
  'each for its own reason');
select claimed(:w, 1) \g /dev/null
select is(sluice.explain(:t, at(1)),
  format('queued for route %s: first in its queue, no model can take it now: '
         '%s (the model is paused), '
  '%s (the model is closed until 00:01:00), %s (next permit 00:00:02: rpm 60), '
  '%s (no live worker serves the model)',
  :'r', :'a', :'b', :'c', :'d'), 'one took the first with its only permit');
select sluice.resume(:'a') \g /dev/null
select claimed(:w, 0) \g /dev/null
select sluice.may_take(own_line(:'r'), id_of(:'a'), 1, 0, at(1)) \g /dev/null
select alike(sluice.explain(:t, at(1)),
  format('queued for route %s: first in its queue, can be taken by %s; not by %s (%%', :'r', :'a',
    :'b'), 'one can');
select sluice.move_breaker(id_of(:'a'), 'closed', 'open', 'down', at(1)) \g /dev/null
select alike(sluice.explain(:t, at(2)),
  format('%%no model can take it now: %s (the breaker is open until 00:00:31: down), %%', :'a'),
    'its backend is broken');
update sluice.routes set weight = 0 where route = :'r';
select is(sluice.explain(:t, at(2)),
  format('queued for route %s: first in its queue, none of its models has a weight', :'r'),
    'a weight of 0 takes nothing');
-- A weight may become 0 between the statements of one explain.
select is(sluice.line_part(own_line(:'r'), (select m from sluice.models m where m.name = :'a'),
  at(2)), 0::double precision, 'it may expect no part of what waits there');

select * from finish();
rollback;
