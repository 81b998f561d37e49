begin;
\ir ../_helpers.sql
select plan(2);

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

select * from finish();
rollback;
