-- sluice.is_bound, sluice.task_is_kept
begin;
\ir ../../_helpers.sql
select plan(9);

select given_model() as m, 'key of ' || pg_backend_pid() as key \gset
select is(sluice.is_bound('default', :'key'), false, 'not yet');
select sluice.submit('x', :'m', idempotency_key => :'key') \g /dev/null
select is(sluice.is_bound('default', :'key'), true, 'now');
select is(sluice.is_bound('another', :'key'), false, 'not another tenant''s');
select is(sluice.is_bound('default', null), false, 'no key is none');


-- Who may not act for its tenant learns nothing of it by what is refused first.
select given_tenant('sluice_submitter') as stranger \gset
set local role :"stranger";
select is((error_of(format('select sluice.submit(''x'', %L, deadline => ''2020-01-01'',
  idempotency_key => %L)', :'m', k))).code, 'SL004', 'used or not: ' || k)
from unnest(array[:'key', 'another']) k;
reset role;

-- The attack: retention takes a task before its key. Whoever took the key for one in use did not
-- ask for the limits of its tenant, and then stored a new task.
select given_tenant() as limited \gset
update sluice.tenants set max_priority = 0 where name = :'limited';
insert into sluice.idempotency (tenant, key_sha256, task_id, content_sha256)
select :'limited', sha256(convert_to('stale', 'UTF8')), min(first_id) - 1, '\x00'
from sluice.id_range;
select is(sluice.is_bound(:'limited', 'stale'), false, 'not if its task is gone');
select is((error_of(format('select sluice.submit_many(%L)', jsonb_build_array(jsonb_build_object(
  'prompt', 'x', 'model', :'m', 'tenant', :'limited', 'priority', 5, 'idempotency_key', 'stale')))
  )).code, 'SL004', 'its tenant''s limits count');
select sluice.submit_many(jsonb_build_array(jsonb_build_object('prompt', 'x', 'model', :'m',
  'tenant', :'limited', 'idempotency_key', 'stale'))) \g /dev/null
select is(sluice.is_bound(:'limited', 'stale'), true, 'it is bound anew');

select * from finish();
rollback;
