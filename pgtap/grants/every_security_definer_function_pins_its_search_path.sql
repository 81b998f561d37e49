begin;
\ir ../_helpers.sql
select plan(4);

select is_empty($$select p.oid::regprocedure from pg_proc p
  where p.pronamespace = 'sluice'::regnamespace and p.prosecdef
  and coalesce(array_to_string(p.proconfig, ','), '') not like '%search_path=sluice, pg_temp%'$$,
  'with pg_temp last, so that nobody puts a table of his own in the way');
select is_empty($$select p.oid::regprocedure from pg_proc p
  where p.pronamespace = 'sluice'::regnamespace and not p.prosecdef
  and exists (select from aclexplode(p.proacl) a where a.grantee <> p.proowner)
  and p.proname not in ('request_quota', 'quota_of', 'send_allowance_ms', 'pressure',
    'overflow_share', 'critical_share', 'can_undo', 'guarded', 'hidden_columns', 'parked_for',
    'read_record', 'model_state', 'percentile')$$,
  'what a role may call is security definer, but for twelve formulas that read nothing, '
  'and what reads a caller''s type');
select is(array_agg(p.proname::text order by p.proname), array['critical_share', 'guarded',
  'hidden_columns', 'overflow_share', 'pressure', 'quota_of', 'request_quota', 'send_allowance_ms'],
  'these too, but for those without operators, or with equal types at each')
from pg_proc p
where p.pronamespace = 'sluice'::regnamespace and not p.prosecdef
  and exists (select from aclexplode(p.proacl) a where a.grantee <> p.proowner)
  and coalesce(array_to_string(p.proconfig, ','), '') not like '%search_path=sluice, pg_temp%';

select is_empty($$select p.oid::regprocedure from pg_proc p
  where p.pronamespace = 'sluice'::regnamespace and p.prosecdef and p.proname <> 'submit'
  and (has_function_privilege('sluice_submitter', p.oid, 'execute')
    or has_function_privilege('sluice_reader', p.oid, 'execute'))
  and coalesce(array_to_string(p.proconfig, ','), '') not like '%debug_print_plan=off%'$$,
  'none shows a client the plans of its statements, with estimates made from all tenants'' rows');

select * from finish();
rollback;
