begin;
\ir ../../_helpers.sql
select plan(1);

select given_model() as m \gset
select given_task(:'m', deadline => at(1)) as past \gset
select given_task(:'m', deadline => at(3)) as future \gset
select given_task(:'m') as none \gset
select sluice.expire(array(select q from sluice.queue q where model = id_of(:'m')),
  id_of(:'m'), at(2));
select results_eq(format('select task_id, status, fence, model from sluice.result '
                         'where task_id in (%s, %s, %s)', :past, :future, :none),
  format('values (%s::bigint, ''expired''::text, 0, %L::text)', :past, :'m'), 'the others stay');

select * from finish();
rollback;
