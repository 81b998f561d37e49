-- sluice.note_audit
begin;
\ir ../../_helpers.sql
select plan(7);

select given_model() as m, given_model() as n \gset
select given_worker(array[:'m']) as w \gset
select given_task(:'n') as waiting, given_tasks(:'m', 3) as ts \gset
select claimed(:w, 3) \g /dev/null
select completed(:w, told(t, 'failed')) from unnest((:'ts'::bigint[])[1:2]) t \g /dev/null
select completed(:w, told((:'ts'::bigint[])[3], 'solved')) \g /dev/null
select given_tenant('sluice_admin') as admin \gset
set local session authorization :"admin";
select sluice.pause(:'m') \g /dev/null
select sluice.resume(:'m') \g /dev/null
select sluice.close_model(:'m', at(1)) \g /dev/null
select sluice.cancel(:waiting) \g /dev/null
select sluice.redrive((:'ts'::bigint[])[1]) \g /dev/null
select sluice.redrive_all(:'m') \g /dev/null
select sluice.cancel_all(:'m') \g /dev/null
select sluice.forget((:'ts'::bigint[])[3]) \g /dev/null
select sluice.forget_all(:'n') \g /dev/null
update sluice.models set max_queue = 7 where name = :'m';
update sluice.routes set weight = 7 where model = :'m';
insert into sluice.routes (route, model) values ('route-' || :'m', :'m');
update sluice.tenants set weight = 7 where name = :'admin';
insert into sluice.models (name, url) values ('new-' || :'m', 'http://127.0.0.1:1');
delete from sluice.models where name = 'new-' || :'m';
insert into sluice.tenants (name) values ('new-' || :'m');
delete from sluice.tenants where name = 'new-' || :'m';
delete from sluice.routes where route = 'route-' || :'m';
update sluice.settings set retention = retention + interval '1 day';
select sluice.configure('models', :'m', '{"rpm": 7}', false) \g /dev/null
select sluice.configure_route('route-' || :'m', jsonb_build_object(:'m', 1)) \g /dev/null
select sluice.create_key('fedcba9876543210', sha256('k'), 'k', null, '{read}') \g /dev/null
select sluice.revoke_key('fedcba9876543210') \g /dev/null
select sluice.import_tasks('[]', 'elsewhere') \g /dev/null
select sluice.start_job('cancel', jsonb_build_object('model', :'m')) as job \gset
select sluice.cancel_job(:job) \g /dev/null
reset session authorization;
update sluice.job set done = 1, undo_until = 'infinity' where id = :job;
set local session authorization :"admin";
select sluice.undo_job(:job) \g /dev/null
select sluice.set_price(:'m', '{"input": 1, "valid_from": "2026-01-01Z"}') \g /dev/null
update sluice.prices set output = 0 where model = :'m';
select sluice.drop_price(:'m', '2026-01-01Z') \g /dev/null
insert into sluice.budgets (name, scope, limit_nanos) values (:'m', 'system', 1000);
update sluice.budgets set limit_nanos = 2000 where name = :'m';
delete from sluice.budgets where name = :'m';
insert into sluice.payload_schema (target, version) values (:'m', '1');
update sluice.payload_schema set schema = '{"type": "object"}' where target = :'m';
delete from sluice.payload_schema where target = :'m';
insert into sluice.routes (route, model, weight) values ('route-' || :'m', :'n', 0);
select sluice.start_ramp('route-' || :'m', :'n'), sluice.pause_ramp('route-' || :'m'),
  sluice.resume_ramp('route-' || :'m'), sluice.stop_ramp('route-' || :'m') \g /dev/null
select sluice.start_shadow('models', :'m', '{"rpm": 8}') as shadow \gset
select sluice.drop_shadow(:shadow) \g /dev/null
select sluice.start_shadow('models', :'m', '{"rpm": 8}') as shadow \gset
select sluice.apply_shadow(:shadow) \g /dev/null
reset session authorization;
select is(array(select action from sluice.audit where who = :'admin' order by id),
  '{pause,resume,close_model,cancel,redrive,redrive_all,cancel_all,forget,forget_all,
    update models,insert routes,update tenants,
    insert models,delete models,insert tenants,delete tenants,delete routes,update settings,
    change models,configure_route,create_key,revoke_key,
    import_tasks,start_job,cancel_job,undo_job,set_price,update prices,drop_price,
    insert budgets,update budgets,delete budgets,
    insert payload_schema,update payload_schema,delete payload_schema,
    insert routes,start_ramp,pause_ramp,resume_ramp,stop_ramp,
    start_shadow,drop_shadow,start_shadow,apply_shadow,change models}',
  'each once, in order; a shadow is applied by what changes models');
-- Functions that administrators alone may call, and those shared with clients, but for the work:
-- submit, estimate, look, clients' files and batches, the rounds of tick and of batches, bulk_step,
-- which is cancel_all, redrive_all and forget_all step by step, post_job and act_on_job, which are
-- the three functions of jobs for clients, and revert_revision, which is revert. read_texts,
-- note_reading and revert are in tests of their own.
select bag_eq($$select proname::text from pg_proc p where pronamespace = 'sluice'::regnamespace
  and has_function_privilege('sluice_admin', oid, 'execute')
    and not has_function_privilege('sluice_worker', oid, 'execute')
  and not has_function_privilege('sluice_reader', oid, 'execute')
  and proname not in ('submit', 'submit_many', 'submit_each', 'submit_array', 'ended', 'completion',
    'parked', 'task_of',
    'events_of', 'queue_gauges',
    'fleet_gauges', 'ramp_gauges', 'rate_limit_headers', 'tick', 'read_record', 'checked_values',
      'check_durations', 'hidden_columns',
    'begin_file', 'append_file', 'end_file', 'abandon_file', 'show_file', 'list_files', 'file_body',
      'delete_file', 'create_batch',
    'create_message_batch', 'create_batch_once', 'show_batch', 'list_batches',
    'cancel_batch', 'delete_batch', 'batch_results', 'advance_batches', 'bulk_step', 'post_job',
    'act_on_job', 'show_job', 'list_jobs',
    'show_overview', 'search_tasks', 'show_timeline', 'show_dead_letter_groups', 'show_audit',
    'show_revisions', 'revert_revision', 'history_page', 'price_rows',
    'budget_rows', 'budget_excesses', 'budget_failures',
    'ramps', 'shadows', 'shadow_hours', 'estimate_sums',
    'estimate_batch', 'estimate_many', 'task_sums', 'estimate_array')$$,
  $$values ('pause'), ('resume'), ('close_model'), ('cancel'), ('redrive'), ('redrive_all'),
    ('cancel_all'), ('forget'), ('forget_all'),
    ('configure'), ('configure_route'), ('set_prefer'),
    ('configure_fallbacks'), ('create_key'), ('revoke_key'), ('read_texts'),
    ('note_reading'), ('revert'), ('start_job'), ('cancel_job'), ('undo_job'), ('import_tasks'),
    ('set_price'), ('drop_price'), ('start_ramp'), ('pause_ramp'), ('resume_ramp'),
    ('stop_ramp'), ('start_shadow'), ('apply_shadow'), ('drop_shadow')$$,
  'these are all commands there are');
select bag_eq($$select distinct table_name || ' ' || privilege_type
  from information_schema.role_table_grants
  where table_schema = 'sluice' and grantee = 'sluice_admin'
    and privilege_type in ('INSERT', 'UPDATE', 'DELETE')$$,
  $$values ('models INSERT'), ('models UPDATE'), ('models DELETE'), ('routes INSERT'),
    ('routes UPDATE'), ('routes DELETE'),
    ('tenants INSERT'), ('tenants UPDATE'), ('tenants DELETE'), ('settings UPDATE'),
    ('fallbacks INSERT'), ('fallbacks UPDATE'), ('fallbacks DELETE'),
    ('prices INSERT'), ('prices UPDATE'), ('prices DELETE'),
    ('budgets INSERT'), ('budgets UPDATE'), ('budgets DELETE'),
    ('payload_schema INSERT'), ('payload_schema UPDATE'), ('payload_schema DELETE')$$,
      'and these all tables to write');
select is((select count(*) from sluice.audit where who = :'admin' and at is null), 0::bigint,
  'with its time');
select is((select detail::text from sluice.audit where who = :'admin' and action = 'update models'),
  '{"max_queue": [null, 7]}', 'and what it changed');

select given_tenant('sluice_submitter') as client \gset
select given_task(:'n', tenant => :'client') as his \gset
set local session authorization :"client";
select is(sluice.cancel(:his), 'cancelled', 'a client cancels');
reset session authorization;
select is((select count(*) from sluice.audit where object = :'his'), 0::bigint,
  'which is no administrator''s doing');

select * from finish();
rollback;
