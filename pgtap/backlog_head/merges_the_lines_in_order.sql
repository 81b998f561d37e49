begin;
\ir ../_helpers.sql
select plan(3);

select given_model(max_queue => 1) as m \gset
select given_route(:'m') as r \gset
select given_task(:'m') \g /dev/null
select given_task(:'r', p_now => at(3)) as third \gset
select given_task(:'m', p_now => at(2)) as second \gset
select given_task(:'m', priority => 5, p_now => at(4)) as first \gset
select given_task(:'m', run_at => at(100)) as later \gset
select sluice.backlog_lines(id_of(:'m')) as lines \gset
select results_eq(format('select task_id from sluice.backlog_head(%s, %L, 10)', id_of(:'m'), :'lines'),
  array[:first, :second, :third]::bigint[], 'by priority, then by time, whichever line they wait in');
select results_eq(format('select task_id from sluice.backlog_head(%s, %L, 2)', id_of(:'m'), :'lines'),
  array[:first, :second]::bigint[], 'no more than asked for');
select results_eq(format('select task_id from sluice.backlog_head(%s, %L, 10)', id_of(:'m'), array['route_' || :'r']),
  array[:third]::bigint[], 'only from the lines that are given');

select * from finish();
rollback;
