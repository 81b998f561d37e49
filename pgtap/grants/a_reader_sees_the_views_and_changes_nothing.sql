begin;
\ir ../_helpers.sql
select plan(14);

select given_model(rpm => 600) as m \gset
select given_task(:'m') as t \gset
set local role sluice_reader;
select lives_ok('select * from sluice.' || v, 'it reads ' || v)
from unnest(array['tasks', 'queues', 'workers', 'dead_letters', 'attempts', 'history',
  'key_history']) v;
select lives_ok('select sluice.newest_ids()', 'and lists');
select is((select status from sluice.task(:t)), 'queued', 'and one task');
select throws_ok(c, '42501', null, c || ' is not for it')
from unnest(array['delete from sluice.task', 'update sluice.models set rpm = 1',
  'select sluice.submit(''x'')', 'select sluice.cancel(1)', 'select * from sluice.idempotency']) c;

select * from finish();
rollback;
