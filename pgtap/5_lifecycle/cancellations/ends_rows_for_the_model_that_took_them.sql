begin;
\ir ../../_helpers.sql
select plan(1);

select given_model() as m \gset
select given_model() as other \gset
select given_task(:'m') as a \gset
select given_task(:'m') as b \gset
create function pg_temp.row_of(p_task bigint) returns sluice.queue[] language sql
as $$ select array[q] from sluice.queue q where q.task_id = p_task $$;
select sluice.end_rows(pg_temp.row_of(:a), id_of(:'other'), 'expired', at(2), null),
  sluice.end_rows(pg_temp.row_of(:b), null, 'cancelled', at(2), null),
  sluice.end_rows(null, null, 'cancelled', at(2), null) \g /dev/null
select results_eq(format('select task_id, status, fence, model from sluice.result '
                         'where task_id in (%s, %s) order by 1', :a, :b),
  format('values (%s::bigint, ''expired''::text, 0, %L::text), (%s, ''cancelled'', 0, %L)', :a,
    :'other', :b, :'m'), 'null: for the model for which each waited');

select * from finish();
rollback;
