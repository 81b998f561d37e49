-- sluice.count_unfinished
begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m, given_tenant() as t \gset
select given_tasks(:'m', 2000) \g /dev/null
select given_task(:'m', run_at => at(100)) from generate_series(1, 500) \g /dev/null
select given_task(:'m', tenant => :'t', priority => p) from unnest(array[-100, 0, 3, 100]) p
  \g /dev/null
select given_task(:'m', tenant => :'t', run_at => at(9)) \g /dev/null
select claimed(given_worker(array[:'m']), 1) as got \gset
create function rows_read() returns bigint language sql volatile
as $$
  select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint from pg_stat_xact_user_tables
  where schemaname = 'sluice' and relname ~ '^(queue|later)'
$$;
select rows_read() as before \gset
select is(sluice.count_unfinished('tenant', :'t'), 5::bigint,
  'its tasks, of each rank, called or for later');
select cmp_ok(rows_read() - :before, '<', 50::bigint, 'beside 2,500 of others');
select is(sluice.count_unfinished('tenant', 'nobody'), 0::bigint, 'and nobody''s');

select * from finish();
rollback;
