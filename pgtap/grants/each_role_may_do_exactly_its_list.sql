begin;
\ir ../_helpers.sql
select plan(6);

-- The list. w: sluice_worker, s: sluice_submitter, r: sluice_reader, a: sluice_admin.
create temporary table allowed (object text, roles text, privileges text default 'EXECUTE');
insert into allowed (object, roles) values
  ('abandon_file(bigint)', 'a'),
  ('become_watcher(bigint)', 'wa'),
  ('resign_watcher(bigint,boolean)', 'wa'),
  ('wake(timestamp with time zone)', 'wa'),
  ('advance_batches(timestamp with time zone)', 'a'),
  ('act_on_job(bigint,text,text,timestamp with time zone)', 'a'),
  ('advance_jobs(timestamp with time zone)', 'wa'),
  ('announce(bigint[])', 'wa'),
  ('append_file(bigint,integer,integer,text)', 'a'),
  ('batch_results(bigint,text,integer)', 'a'),
  ('begin_file(text,text,text,timestamp with time zone)', 'a'),
  ('bulk_step(text,text,jsonb,jsonb,timestamp with time zone)', 'a'),
  ('caller_scope()', 'sra'),
  ('guarded(anyelement)', 'sra'),
  ('cancel(bigint,timestamp with time zone)', 'sa'),
  ('cancel_all(text,text,jsonb,bigint,timestamp with time zone,timestamp with time zone,timestamp '
   'with time zone)', 'sa'),
  ('can_undo(sluice.job,timestamp with time zone)', 'sra'),
  ('cancel_job(bigint,timestamp with time zone)', 'sa'),
  ('cancel_batch(bigint,text,boolean,timestamp with time zone)', 'a'),
  ('check_notifications()', 'wa'),
  ('claim(bigint,text[],integer,timestamp with time zone)', 'wa'),
  ('claim_urgent(bigint,text[],integer,timestamp with time zone)', 'wa'),
  ('claim_within(bigint,text[],integer[],integer,timestamp with time zone)', 'wa'),
  ('close_model(text,timestamp with time zone,text)', 'a'),
  ('complete(bigint,sluice.outcome[],timestamp with time zone)', 'wa'),
  ('complete_with_usage(bigint,sluice.outcome[],sluice.usage[],timestamp with time zone)', 'wa'),
  ('budget_rows(text,timestamp with time zone)', 'a'), ('budget_excesses()', 'a'),
  ('budget_failures(text,timestamp with time zone)', 'a'),
  ('set_price(text,jsonb)', 'a'), ('price_rows(text)', 'a'),
    ('drop_price(text,timestamp with time zone)', 'a'),
  ('completion(bigint)', 'a'), ('parked(bigint[])', 'a'), ('events_of(text,text)', 'a'),
    ('queue_gauges()', 'a'),
    ('fleet_gauges()', 'a'), ('ramp_gauges()', 'a'),
  ('configuration(text[])', 'wa'),
  ('configure(text,text,jsonb,boolean)', 'a'), ('check_durations(text,jsonb)', 'a'),
    ('hidden_columns()', 'a'),
  ('configure_route(text,jsonb)', 'a'), ('set_prefer(text,text)', 'a'),
    ('configure_fallbacks(text,jsonb)', 'a'),
  ('create_batch(text,text,timestamp with time zone)', 'a'),
  ('read_record(anyelement,jsonb)', 'a'), ('checked_values(text,jsonb)', 'a'),
  ('create_key(text,bytea,text,text,text[],timestamp with time zone)', 'a'),
  ('create_message_batch(text,text,timestamp with time zone)', 'a'),
  ('create_batch_once(text,text,text,boolean,timestamp with time zone)', 'a'),
  ('delete_batch(bigint,text,boolean)', 'a'),
  ('delete_file(bigint,text)', 'a'),
  ('drain_bucket(text,integer,bigint,timestamp with time zone)', 'wa'),
  ('drop_sleeper_locks(integer[])', 'wa'),
  ('end_file(bigint,interval)', 'a'),
  ('ended(bigint[])', 'a'),
  ('estimate_array(text,text,text,timestamp with time zone)', 'a'),
  ('estimate_batch(text,text,boolean,timestamp with time zone)', 'a'),
  ('estimate_many(jsonb,timestamp with time zone)', 'sa'),
  ('estimate_sums(jsonb,timestamp with time zone)', 'sa'),
  ('task_sums(jsonb,timestamp with time zone)', 'sa'),
  ('explain(bigint,timestamp with time zone)', 'sra'),
  ('file_body(bigint,text,integer)', 'a'),
  ('forget(bigint,timestamp with time zone)', 'sa'),
  ('forget_all(text,text,jsonb,bigint,timestamp with time zone,timestamp with time zone,timestamp '
   'with time zone)', 'sa'),
  ('heartbeat(bigint,timestamp with time zone)', 'wa'),
  ('fall_asleep(bigint,timestamp with time zone)', 'wa'),
  ('hedge(bigint,bigint,integer,timestamp with time zone)', 'wa'),
  ('hedge_many(bigint,bigint[],integer[],timestamp with time zone)', 'wa'),
  ('held_leases(bigint)', 'wa'),
  ('history_of(text,timestamp with time zone,timestamp with time zone,text,text,text,'
   'timestamp with time zone)', 'sra'),
  ('history_of_keys(text,timestamp with time zone,timestamp with time zone,text,text,'
   'timestamp with time zone)', 'sra'), ('shown_key_name(text,text)', 'sra'),
  ('history_page(text,text,text,text,text,text,text)', 'a'),
  ('keep_history(timestamp with time zone)', 'wa'),
  ('percentile(integer[],double precision)', 'sra'), ('sparks(timestamp with time zone)', 'sra'),
  ('list_batches(text,boolean,bigint,bigint,integer)', 'a'),
  ('list_files(text,text,bigint,integer,boolean)', 'a'),
  ('list_jobs(text,bigint,integer)', 'a'),
  ('list_tasks(bigint,bigint,text,text,bigint)', 'sra'),
  ('mend_sequences()', 'wa'),
  ('newest_ids(text,integer,bigint,text)', 'sra'),
  ('next_permit_at(text,timestamp with time zone)', 'wsra'),
  ('note_clock_jump(interval,timestamp with time zone,timestamp with time zone)', 'wa'),
  ('overflow_share()', 'ra'), ('critical_share()', 'ra'),
  ('parked_for(text)', 'wa'),
  ('pause(text)', 'a'),
  ('quota_of(text,integer,integer,integer,timestamp with time zone)', 'ra'),
    ('request_quota(sluice.models)', 'ra'),
  ('post_job(jsonb,text,timestamp with time zone)', 'a'),
  ('pressure(bigint,bigint)', 'ra'),
  ('queue_facts(timestamp with time zone)', 'ra'), ('routed_shares()', 'ra'),
  ('queue_facts_of(sluice.models,timestamp with time zone)', 'ra'),
  ('rate_limit_headers(bigint,timestamp with time zone)', 'a'),
  ('recent_ends(interval,timestamp with time zone)', 'ra'),
  ('recent_failures(interval,timestamp with time zone)', 'ra'), ('call_counts()', 'ra'),
  ('recover(bigint,timestamp with time zone)', 'wa'),
  ('redrive(bigint,timestamp with time zone)', 'sa'),
  ('redrive_all(text,text,text,timestamp with time zone,timestamp with time '
   'zone,text,jsonb,bigint,timestamp with time zone)', 'a'),
  ('register_worker(text,integer,text[],text,timestamp with time zone)', 'wa'),
  ('requests(bigint,bigint[])', 'wa'),
  ('resume(text)', 'a'),
  ('retain(timestamp with time zone)', 'wa'),
  ('revoke_key(text,timestamp with time zone)', 'a'),
  ('send_allowance_ms()', 'ra'),
  ('show_batch(bigint,text,boolean)', 'a'),
  ('show_file(bigint,text)', 'a'),
  ('show_job(bigint,text)', 'a'),
  ('start_job(text,jsonb,boolean,text,integer,timestamp with time zone)', 'sa'),
  ('submit(text,text,integer,text,timestamp with time zone,timestamp with time '
   'zone,text,integer,text,integer,jsonb,bigint,'
    'text,text,text,timestamp with time zone)', 'sa'),
  ('serve_versions(bigint,text[])', 'wa'),
  ('unserved_versions(text,timestamp with time zone)', 'ra'),
  ('submit_array(text,text,text,text,text,timestamp with time zone)', 'a'),
  ('submit_each(text[],text[],text[],text[],text[],timestamp with time zone)', 'a'),
  ('submit_many(jsonb,timestamp with time zone)', 'sa'),
  ('sweep(timestamp with time zone)', 'wa'),
  ('take_sleeper_locks(bigint,integer[],timestamp with time zone)', 'wa'),
  ('task(bigint)', 'sra'), ('attempts(bigint)', 'sra'),
  ('tick(timestamp with time zone)', 'a'),
  ('undo_job(bigint,timestamp with time zone)', 'sa'),
  ('unfinished(bigint)', 'wa'),
  ('unregister_worker(bigint,timestamp with time zone)', 'wa'),
  ('warm_up()', 'wa'),
  ('worker_speaks(bigint,text[])', 'wa'),
  ('export_columns()', 'sra'), ('export_range(bigint,integer)', 'sra'),
  ('export_tasks(bigint,bigint,text,text,text,bigint,jsonb,timestamp with time zone,timestamp '
   'with time zone,timestamp with time zone,timestamp with time zone,boolean,bigint,text)', 'sra'),
  ('import_tasks(jsonb,text,timestamp with time zone)', 'a'),
  ('workers_wanted(timestamp with time zone)', 'ra'),
  ('acts_as_administrator()', 'ra'), ('shown_reason(text,text)', 'ra'),
  ('without_secrets(jsonb)', 'ra'),
  ('find_tasks(text,text,text,bigint,integer,timestamp with time zone,timestamp with time '
   'zone,text,text,text,text,bigint,integer)', 'sra'),
  ('timeline(bigint)', 'sra'),
  ('dead_letter_groups(text,text,timestamp with time zone,bigint)', 'sra'),
  ('overview(timestamp with time zone)', 'ra'), ('range_facts()', 'ra'),
  ('route_choices(text,timestamp with time zone)', 'ra'),
  ('model_limits(text,timestamp with time zone)', 'ra'),
  ('model_state(sluice.models,text,timestamp with time zone)', 'ra'),
  ('show_overview(timestamp with time zone)', 'a'),
  ('search_tasks(jsonb,text)', 'a'),
  ('show_timeline(bigint,text,timestamp with time zone)', 'a'),
  ('note_reading(bigint,text)', 'a'), ('task_of(bigint,text)', 'a'),
  ('read_texts(bigint,text,timestamp with time zone)', 'a'),
  ('show_dead_letter_groups(jsonb,text)', 'a'),
  ('show_audit(bigint,integer)', 'a'),
  ('show_revisions(text,text,bigint,integer)', 'a'),
  ('revert_revision(bigint,boolean)', 'a'), ('revert(bigint,boolean)', 'a'),
  ('start_ramp(text,text,double precision,integer,interval,integer,double precision,double '
   'precision,text,timestamp with time zone)', 'a'),
  ('pause_ramp(text,text,timestamp with time zone)', 'a'),
  ('resume_ramp(text,text,timestamp with time zone)', 'a'),
  ('stop_ramp(text,text,timestamp with time zone)', 'a'), ('ramps(text)', 'a'),
  ('start_shadow(text,text,jsonb,text,timestamp with time zone)', 'a'),
  ('apply_shadow(bigint,text,timestamp with time zone)', 'a'),
  ('drop_shadow(bigint,text,timestamp with time zone)', 'a'),
  ('shadows(bigint)', 'a'), ('shadow_hours(bigint)', 'a');
insert into allowed values
  ('api_key', 'a', 'SELECT'),
  ('notify_usage', 'a', 'SELECT'),
  ('revisions', 'a', 'SELECT'), ('budget_events', 'a', 'SELECT'),
  ('function_set', 'ra', 'SELECT'),
  ('migration', 'wsra', 'SELECT'),
  ('models', 'a', 'DELETE INSERT SELECT UPDATE'),
  ('prices', 'a', 'DELETE INSERT SELECT UPDATE'),
  ('budgets', 'a', 'DELETE INSERT SELECT UPDATE'),
  ('fallbacks', 'a', 'DELETE INSERT SELECT UPDATE'),
  ('routes', 'a', 'DELETE INSERT SELECT UPDATE'),
  ('payload_schema', 'a', 'DELETE INSERT SELECT UPDATE'),
  ('settings', 'a', 'SELECT UPDATE'),
  ('tenants', 'a', 'DELETE INSERT SELECT UPDATE'),
  ('attempts', 'sra', 'SELECT'),
  ('audit_log', 'ra', 'SELECT'),
  ('breaker_events', 'ra', 'SELECT'),
  ('dead_letters', 'sra', 'SELECT'), ('history', 'sra', 'SELECT'),
  ('key_history', 'sra', 'SELECT'),
  ('jobs', 'sra', 'SELECT'),
  ('queues', 'ra', 'SELECT'),
  ('tasks', 'sra', 'SELECT'),
  ('workers', 'ra', 'SELECT');

-- From the catalog: every grant in the schema to anybody but the owner, columns included.
create temporary view granted as
  select object, coalesce(r.rolname, 'PUBLIC') as role,
    string_agg(distinct privilege_type, ' ' order by privilege_type) as privileges
  from (
    select replace(p.oid::regprocedure::text, 'sluice.' || p.proname, p.proname) as object,
      p.proowner as owner, x.*
    from pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) x
    where p.pronamespace = 'sluice'::regnamespace
    union all
    select c.relname, c.relowner, x.*
    from pg_class c, aclexplode(coalesce(c.relacl,
        acldefault(case c.relkind when 'S' then 's' else 'r' end::"char", c.relowner))) x
    where c.relnamespace = 'sluice'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
    union all
    select c.relname || '.' || a.attname, c.relowner, x.*
    from pg_class c join pg_attribute a on a.attrelid = c.oid, aclexplode(a.attacl) x
    where c.relnamespace = 'sluice'::regnamespace) g
  left join pg_roles r on r.oid = g.grantee
  where g.grantee <> g.owner
  group by object, coalesce(r.rolname, 'PUBLIC');

select bag_eq('select object, role::text, privileges from granted',
  $$select object, role, privileges from allowed a
    join (values ('w', 'sluice_worker'), ('s', 'sluice_submitter'), ('r', 'sluice_reader'),
      ('a', 'sluice_admin')) n(letter, role)
      on position(n.letter in a.roles) > 0$$,
        'each role has its grants and no other; PUBLIC has none');
select is_empty($$select grantee::regrole from pg_class c, aclexplode(c.relacl)
  where c.relnamespace = 'sluice'::regnamespace
  and is_grantable and grantee <> c.relowner$$, 'nobody passes a grant on');
select is_empty($$select r.rolname, m.rolname from pg_auth_members am
  join pg_roles r on r.oid = am.roleid
  join pg_roles m on m.oid = am.member where r.rolname like 'sluice\_%'
    and m.rolname like 'sluice\_%'$$,
  'no role is a member of another');
select is_empty($$select grantee, privilege_type from pg_namespace n, aclexplode(n.nspacl)
  where nspname = 'sluice'
  and grantee <> nspowner and (privilege_type <> 'USAGE' or grantee = 0)$$,
    'nobody else creates anything in the schema');
select is_empty($$select rolname from pg_roles where rolname like 'sluice\_%'
  and (rolcanlogin or rolsuper or rolcreaterole or rolcreatedb or rolbypassrls)$$,
    'the roles are groups, without powers of their own');
select is_empty($$select a.grantee from pg_default_acl d, aclexplode(d.defaclacl) a
  where d.defaclrole = 'sluice_owner'::regrole and d.defaclobjtype = 'f' and a.grantee = 0$$,
  'a function of tomorrow is not executable by PUBLIC either');

select * from finish();
rollback;
