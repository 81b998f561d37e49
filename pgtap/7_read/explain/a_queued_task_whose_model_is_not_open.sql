begin;
\ir ../../_helpers.sql
select plan(7);

set local timezone = 'UTC';
select given_model() as m \gset
select given_worker(array[:'m']) \g /dev/null
select given_task(:'m') as t, given_task(:'m') as u \gset
select is(sluice.explain(:t, at(1)),
  format('queued for %s: first in its queue, next to be claimed', :'m'), 'nothing holds it up');
select is(sluice.explain(:u, at(1)),
  format('queued for %s: 1 ahead, claimed as slots become free', :'m'), 'one ahead');
select sluice.close_model(:'m', at(600), 'Retry-After') \g /dev/null
select is(sluice.explain(:u, at(1)),
  format('queued for %s: 1 ahead, the model is closed until 00:10:00 (Retry-After)', :'m'),
    'closed');
select is(sluice.explain(:u, at(601)),
  format('queued for %s: 1 ahead, no live worker serves the model', :'m'), 'until then');
select sluice.close_model(:'m', 'infinity', 'no credit') \g /dev/null
select is(sluice.explain(:u, at(1)),
  format('queued for %s: 1 ahead, the model is parked until somebody runs sluice model resume %1$s '
    '(no credit)', :'m'), 'parked, with the way out');
select sluice.resume(:'m') \g /dev/null
select sluice.pause(:'m') \g /dev/null
select is(sluice.explain(:u, at(1)),
  format('queued for %s: 1 ahead, the model is paused', :'m'), 'paused');
select given_task(:'m', deadline => at(5)) as d \gset
select is(sluice.explain(:d, at(6)),
  format('queued for %s: 2 ahead, the model is paused, past its deadline: it ends as expired',
    :'m'), 'too late');

select * from finish();
rollback;
