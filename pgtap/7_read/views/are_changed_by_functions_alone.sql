-- sluice.refuse_task_change
begin;
\ir ../../_helpers.sql
select plan(5);

select given_model() as m \gset
select given_task(:'m') as t \gset
select is(e.code || ' ' || (e.hint ~ s.way)::text, 'SL004 true', s.q)
from (values ('insert into sluice.tasks (prompt, model) values (''p'', ''m'')', 'sluice\.submit\('),
  ('update sluice.tasks set status = ''cancelled''', 'sluice\.cancel\('),
  ('delete from sluice.tasks where id = ' || :t, 'forget\(')) s(q, way)
  cross join lateral error_of(s.q) e;
select is((select status from sluice.task(:t)), 'queued', 'the task is as it was');
set local role sluice_submitter;
select throws_ok('delete from sluice.tasks', '42501', null, 'others have no right to begin with');

select * from finish();
rollback;
