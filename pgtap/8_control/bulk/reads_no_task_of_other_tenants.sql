begin;
\ir ../../_helpers.sql
select plan(3);

create function tasks_read() returns bigint language sql
as $$
  select coalesce(sum(idx_tup_fetch + seq_tup_read), 0)::bigint
  from pg_stat_xact_all_tables where schemaname = 'sluice' and relname ~ '^task_[0-9]'
$$;

select given_model() as m \gset
select count(*) from sluice.submit_many(
  (select jsonb_agg(jsonb_build_object('prompt', 'x', 'model', :'m', 'tenant', 'theirs'))
  from generate_series(1, 1500))) \g /dev/null
select count(*) from sluice.submit_many((select jsonb_agg(
  jsonb_build_object('prompt', 'x', 'model', :'m', 'tenant', 'own', 'batch_id', n % 2))
    from generate_series(1, 4) n)) \g /dev/null
select tasks_read() as before \gset
select is(sluice.cancel_all(tenant => 'own', batch_id => 1, model => :'m'), 2::bigint,
  'beside 1,500 of another tenant');
select cmp_ok(tasks_read() - :before, '<', 100::bigint, 'whose tasks are not looked at');
select is((select count(*) from sluice.tasks where model = :'m' and status = 'cancelled'
  and tenant = 'own'), 2::bigint, 'those that are meant have ended');

select * from finish();
rollback;
