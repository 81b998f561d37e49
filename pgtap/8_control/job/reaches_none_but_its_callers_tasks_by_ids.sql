begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_jobs.sql
select plan(6);

select given_model() as m \gset
select given_tenant('sluice_submitter') as a, given_tenant('sluice_submitter') as b \gset
select given_task(:'m', tenant => :'a') as own, given_task(:'m', tenant => :'b') as foreign \gset
set local role :"a";
select is(sluice.start_job('cancel', jsonb_build_object('ids', array[:own, :foreign]), true),
  1::bigint, 'another''s task is not counted');
select sluice.start_job('cancel', jsonb_build_object('ids', array[:own, :foreign])) as job \gset
reset role;
select is((stepped(:job)).done, 1::bigint, 'nor acted on');
select is(array[places(:own), places(:foreign)], array['cancelled', 'queue'], 'it still waits');
select is((sluice.post_job(jsonb_build_object('action', 'cancel', 'dry_run', true, 'filter',
  jsonb_build_object('ids', array[:foreign])), :'a', at(200)) ->> 'matched'), '0',
  'a key of one tenant reaches no other');
select is((sluice.post_job(jsonb_build_object('action', 'redrive', 'dry_run', true, 'filter',
  jsonb_build_object('ids', array[:own::text])), :'a', at(200)) ->> 'matched'), '1', 'but its own');
select is((error_of(format($$select sluice.post_job('{"action": "cancel",
  "filter": {"ids": [%s], "tenant": "x"}}', %L)$$, :own, :'a'))).code, 'SL009',
  'nor may it name another');

select * from finish();
rollback;
