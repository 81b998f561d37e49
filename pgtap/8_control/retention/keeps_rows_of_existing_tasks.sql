begin;
\set alone
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_task(:'m') as t \gset
insert into sluice.task (id, created_at, model, priority, tenant, prompt)
  values (-1, at(0), id_of(:'m'), 0, 'default', 'x');
insert into sluice.attempt (task_id, ended_at, fence, kind) select id, at(0), 1, 'retry'
from unnest(array[-2, -1, :t]) id;
insert into sluice.idempotency (tenant, key_sha256, task_id, content_sha256)
select 'erase', decode('0' || (id + 3), 'hex'), id, '' from unnest(array[-2, -1]) id;
insert into sluice.cancellation (task_id, worker, at, fence) select id, 1, at(0), 1
from unnest(array[-2, -1]) id;
select is(sluice.erase_leftovers(), 3,
  'an attempt, a key and the mark of a cancelled call of a task that is no more');
select bag_eq(format('select task_id from sluice.attempt where task_id in (-2, -1, %s)', :t),
  format('values (-1::bigint), (%s)', :t), 'attempts of retained tasks and of a living range stay');
select is((select array_agg(task_id) from sluice.idempotency where tenant = 'erase'),
  array[-1::bigint], 'keys too');
select is((select array_agg(task_id) from sluice.cancellation where task_id < 0), array[-1::bigint],
  'and marks');

select * from finish();
rollback;
