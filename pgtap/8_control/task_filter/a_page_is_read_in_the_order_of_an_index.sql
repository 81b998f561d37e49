begin;
\ir ../../_helpers.sql
select plan(6);

-- Nobody has analyzed these tables. Without more ado PostgreSQL would sort all rows for each page.
select given_model() as m \gset
select 'queue_' || id_of(:'m') as queue, nextval('sluice.task_id') as first \gset
insert into sluice.task (id, created_at, model, priority, tenant, prompt)
select :first + n, at(0), id_of(:'m'), 0, 'default', 'q' from generate_series(1, 3000) n;
insert into sluice.:queue (task_id, ready_at, model, request_bytes, fence, rank, attempts, tenant)
select :first + n, at(0), id_of(:'m'), 1, 0, 0, 0, 'default' from generate_series(1, 3000) n;
insert into sluice.result (task_id, created_at, finished_at, fence, attempts, status)
select :first + n, at(0), at(1), 1, 1, 'failed' from generate_series(1, 3000) n;
select sluice.task_filter_of(:'m', null, null, null, null, null) as f \gset
-- rows_of: how many rows of a table this transaction has fetched.
create function rows_of(p_table regclass) returns bigint language sql volatile
as $$
  select sum(pg_stat_get_xact_tuples_fetched(t)) from (
    select relid from pg_partition_tree(p_table) union select p_table) t(t)
$$;
-- cost_of: how many it fetches for a call.
create function cost_of(p_table regclass, p_call text) returns bigint language plpgsql volatile
as $$
declare
  v_before bigint := rows_of(p_table);
begin
  execute 'select ' || p_call;
  return rows_of(p_table) - v_before;
end
$$;
select cmp_ok(cost_of(('sluice.' || :'queue')::regclass, format(
  'sluice.meant_page(%L, %L, false, 0, %s, 500, 25)', :'queue', :'f', :first + 3000)), '<=',
  500::bigint, 'of those that wait');
select cmp_ok(cost_of(('sluice.' || :'queue')::regclass, format(
  'sluice.count_page(%L, %L, false, 0, %s, 500)', :'queue', :'f', :first + 3000)), '<=',
  500::bigint, 'also when they are counted');
select cmp_ok(cost_of('sluice.result', format('sluice.result_ids(null, %L, 0, %s, 500)', p.unsolved,
  :first + 3000)), '<=', 500::bigint, 'of those that are not solved, and of all that have ended')
from (values (true), (false)) p(unsolved);
select cmp_ok(cost_of('sluice.result', format('sluice.count_page(''result'', %L, %L, 0, %s, 500)',
  :'f', p.unsolved, :first + 3000)), '<=', 1500::bigint, 'also when they are counted')
from (values (true), (false)) p(unsolved);

select * from finish();
rollback;
