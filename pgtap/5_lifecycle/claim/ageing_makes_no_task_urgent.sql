-- sluice.leased_tasks
begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
update sluice.settings set ageing = '10 s';
select given_worker(array[:'m']) as w \gset
select given_task(:'m', priority => -1, p_now => at(0)) as cold \gset
select given_task(:'m', priority => 3, p_now => at(0)) as hot \gset
select results_eq(format('select task_id, priority from sluice.claim(%s, null, 2, '
                         'at(100)) order by 1', :w),
  format('values (%s::bigint, -1), (%s::bigint, 3)', :cold, :hot),
    'the cold one has aged, and is told with its own priority');
select results_eq(format('select task_id, priority from sluice.requests(%s) order by 1', :w),
  format('values (%s::bigint, -1), (%s::bigint, 3)', :cold, :hot), 'with its body, too');

select * from finish();
rollback;
