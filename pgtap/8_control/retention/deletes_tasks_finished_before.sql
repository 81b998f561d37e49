begin;
\set alone
\ir ../../_helpers.sql
select plan(5);

select given_model() as m \gset
select given_tasks(:'m', 3) as ids \gset
select (:'ids'::bigint[])[1] as old, (:'ids'::bigint[])[2] as young,
  (:'ids'::bigint[])[3] as unfinished \gset
select sluice.cancel(:old, at(1)), sluice.cancel(:young, at(5)) \g /dev/null
insert into sluice.attempt (task_id, ended_at, fence, kind) select id, at(0), 1, 'retry'
from unnest(:'ids'::bigint[]) id;
insert into sluice.idempotency (tenant, key_sha256, task_id, content_sha256)
select 'erase', sha256(id::text::bytea), id, '' from unnest(:'ids'::bigint[]) id;
insert into sluice.cancellation (task_id, worker, at, fence) select id, 1, at(0), 1
from unnest(:'ids'::bigint[]) id;
select n from sluice.id_range where :old between first_id and end_id - 1 \gset
select is(sluice.erase_tasks(:'n', :'ids', at(5)), 1, 'one of them');
select bag_eq(format('select id from sluice.task where id = any (%L)', :'ids'),
  array[:young, :unfinished]::bigint[], 'the others stay');
select is(array(select task_id from sluice.attempt where task_id = any (:'ids') order by 1),
  array[:young, :unfinished]::bigint[], 'with their attempts');
select is(array(select task_id from sluice.idempotency where tenant = 'erase' order by 1),
  array[:young, :unfinished]::bigint[], 'their keys');
select is(array(select task_id from sluice.cancellation where task_id = any (:'ids') order by 1),
  array[:young, :unfinished]::bigint[], 'and their marks');

select * from finish();
rollback;
