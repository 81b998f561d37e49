begin;
\ir ../_helpers.sql
select plan(2);

select bag_eq($$select relname::text from pg_class where relnamespace = 'sluice'::regnamespace
  and relkind = 'v'
    and pg_get_viewdef(oid) ~ 'caller_scope|sluice\.tasks|FROM tasks' $$,
  array['tasks', 'dead_letters', 'attempts', 'audit_log', 'history', 'key_history', 'jobs'],
  'these show each caller what is his');
select is_empty($$select relname from pg_class where relnamespace = 'sluice'::regnamespace
  and relkind = 'v'
    and pg_get_viewdef(oid) ~ 'caller_scope|sluice\.tasks|FROM tasks'
    and not coalesce(reloptions @> array['security_barrier=true']
      or reloptions @> array['security_barrier'], false)$$,
  'and no function of a caller sees more');

select * from finish();
rollback;
