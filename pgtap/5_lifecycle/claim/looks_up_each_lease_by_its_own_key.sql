-- A plan by the index on worker would walk all that the worker holds, and under a held snapshot all
-- that it ever held.
begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
update sluice.models set max_queue = 2000 where name = :'m';
select given_worker() as w \gset
select given_tasks(:'m', 900) \g /dev/null
analyze sluice.lease;  -- while it was empty: the index on worker then looks cheapest
select (claimed(:w, 900))[1] as task \gset
create function walked() returns bigint language sql as $$
  select sum(pg_stat_get_xact_tuples_returned(i.indexrelid)) from pg_index i
  where i.indrelid = 'sluice.lease'::regclass
$$;

select walked() as before \gset
select count(*) from sluice.requests(:w, array[:task]::bigint[]) \g /dev/null
select cmp_ok(walked() - :before, '<', 50::bigint, 'one task');
select count(*) from sluice.requests(:w) \g /dev/null
select cmp_ok(walked() - :before, '>=', 900::bigint,
  'a walk over all of them would have been seen');

select * from finish();
rollback;
