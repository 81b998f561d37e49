begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m, given_model() as n \gset
select given_worker(array[:'m']) as w \gset
select given_task(:'m') as first \gset
select given_task(:'m') as t \gset
select is(sluice.explain_queued(t, id_of(:'m'), at(1)),
  format('queued for %s: 1 ahead, claimed as slots become free', :'m'), 'its place')
from sluice.task t where id = :t;
select is(sluice.explain_queued(t, id_of(:'m'), at(1)),
  format('queued for %s: first in its queue, next to be claimed', :'m'), 'the first')
from sluice.task t where id = :first;
select is(sluice.explain_queued(t, id_of(:'n'), at(1)), null, 'not there') from sluice.task t
where id = :t;

select * from finish();
rollback;
