begin;
\ir ../_helpers.sql
select plan(1);

select is_empty($$select f
  from unnest(array['claim', 'wake', 'complete', 'requests', 'cancel', 'task', 'sweep', 'recover',
    'take_sleeper_locks', 'queue_facts', 'queue_facts_of', 'routed_shares',
    'redrive', 'forget', 'held_leases', 'expire_due', 'advance_batches', 'bulk_part', 'overview',
    'model_limits', 'find_tasks', 'timeline', 'failure_groups', 'search_tasks', 'show_timeline',
    'read_texts', 'workers_wanted']) f
  where not exists (select from pg_proc p where p.pronamespace = 'sluice'::regnamespace
    and p.proname = f
    and p.proconfig @> array['enable_seqscan=off', 'enable_hashjoin=off', 'enable_mergejoin=off',
      'jit=off'])$$,
  'a small queue''s cached plan would grow linearly');

select * from finish();
rollback;
