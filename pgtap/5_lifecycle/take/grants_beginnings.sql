begin;
\ir ../../_helpers.sql
select plan(3);

select given_model(tpm => 6000) as m \gset
select given_tenant(rpm => 60) as t \gset
select count(given_task(:'m', tenant => :'t', max_output_tokens => 10))
from generate_series(1, 3) \g /dev/null
select given_task(:'m', deadline => at(0.5)) as late \gset
select count(given_task(:'m', max_output_tokens => 1000)) from generate_series(1, 3) \g /dev/null
create temporary table judged on commit drop as
select j.*, k.tenant from sluice.judge_rows(model_row(:'m'),
  array(select row(q.task_id, id_of(:'m'), 1, q.rank, 0, q.ready_at,
  q.deadline, q.request_bytes, 1, 0, 0, 1, 0, false)::sluice.turn
  from sluice.queue q where q.model = id_of(:'m') order by q.task_id), 20, at(1)) j
    join sluice.task k on k.id = j.task_id;
select is((select count(*) from judged where tenant = :'t'), 1::bigint, 'he has one permit');
select is((select count(*) from judged where tenant = 'default' and task_id <> :late), 1::bigint,
  'of the model''s tokens the head is granted, whatever its size');
select is((select tokens from judged where task_id = :late), 0,
  'what is late is taken to be ended, and reserves nothing');

select * from finish();
rollback;
