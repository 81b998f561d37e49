begin;
\ir ../../_helpers.sql
select plan(2);

select id_of(given_model()) as m \gset
select sluice.make_order(:m) \g /dev/null
select is((select count(*) from pg_indexes where tablename = 'queue_' || :m
  and indexdef like '%(rank, %'), 1::bigint, 'not twice');
select format('drop sequence sluice.waits_%1$s; drop index '
              'sluice.queue_%1$s_rank_expr_ready_at_task_id_idx', :m) \gexec
select sluice.make_order(:m) \g /dev/null
select is((select count(*) from pg_indexes where tablename = 'queue_' || :m
  and indexdef like '%(rank, %'), 1::bigint, 'made where it is not');

select * from finish();
rollback;
