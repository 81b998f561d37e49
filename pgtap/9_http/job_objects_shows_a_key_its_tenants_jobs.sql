begin;
\ir ../_helpers.sql
\ir ../_jobs.sql
select plan(16);

select given_model() as m \gset
select given_task(:'m', tenant => 'a'), given_task(:'m', tenant => 'b') \g /dev/null
select sluice.post_job(jsonb_build_object('action', 'cancel', 'filter',
  jsonb_build_object('model', :'m'), 'dry_run', true)) as preview \gset
select is(:'preview'::jsonb, '{"matched": 2, "is_estimate": false}', 'a preview is a count');
select sluice.post_job(jsonb_build_object('action', 'cancel', 'filter',
  jsonb_build_object('model', :'m')), 'a', at(1))::jsonb as job \gset
select is(:'job'::jsonb -> 'matched', '1', 'a key of a tenant acts on its tasks');
select is(:'job'::jsonb -> 'filter' ->> 'tenant', 'a', 'the job says so');
select :'job'::jsonb ->> 'id' as id \gset
select is(jsonb_typeof(:'job'::jsonb -> 'id'), 'string', 'an id is a text');
select sluice.post_job(jsonb_build_object('action', 'cancel', 'filter',
  jsonb_build_object('model', :'m'))) ->> 'id' as all \gset
select is((sluice.list_jobs('a')::jsonb -> 'data') -> 0 ->> 'id', :'id'::text, 'it sees its own');
select is(jsonb_array_length(sluice.list_jobs('a')::jsonb -> 'data'), 1, 'alone');
select is(jsonb_array_length(sluice.list_jobs()::jsonb -> 'data'), 2, 'others see all');
select is(sluice.list_jobs(null, :all)::jsonb -> 'data' -> 0 ->> 'id', :'id'::text, 'page by page');
select is(sluice.show_job(:all, 'a')::text, null, 'it cannot look at another one');
select is((error_of(format('select sluice.act_on_job(%s, ''cancel'', ''a'')', :all))).code, 'SL006',
  'or cancel it');
select is((error_of(format($$select sluice.post_job('{"action": "cancel",
  "filter": {"tenant": "b"}}', 'a')$$))).code, 'SL009', 'nor name another tenant');
select is(sluice.job_object(v) ->> 'to', null, 'only a move has a target')
from sluice.jobs v where v.id = :id;
select stepped(:id) \g /dev/null
select is(sluice.act_on_job(:id, 'undo', 'a') ->> 'state', 'undoing', 'it undoes its own');
select is(sluice.act_on_job(:all, 'cancel') ->> 'state', 'cancelled', 'and others cancel theirs');
select is((error_of($$select sluice.post_job('{"deed": "cancel"}')$$)).code, 'SL004',
  'a body has known keys');

select throws_ok($$select sluice.post_job('{"action": "forget", "filter": {"everything": true},
  "dry_run": 1}')$$, 'SL004', 'dry_run is no boolean', 'nor is a number a yes');

select * from finish();
rollback;
