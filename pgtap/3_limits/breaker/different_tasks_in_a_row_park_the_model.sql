-- sluice.note_health
begin;
\ir ../../_helpers.sql
select plan(13);


create temporary table refusing as select status, given_model() as m, bound
  from (values (403, 2), (404, 5), (405, 5)) x(status, bound);
select given_worker() as w \gset
select given_tasks(m, 5) from refusing \g /dev/null
select claimed(:w, 20) \g /dev/null
create function refuse(p_worker bigint, p_model text, p_status int, p_from int,
  p_to int) returns timestamptz language plpgsql
as $$
begin
  perform completed(p_worker, refused(l.task_id, 1, p_status))
  from (select task_id, row_number() over (order by task_id) as n from sluice.lease
    where model = id_of(p_model)) l
  where n between p_from and p_to;
  return (model_row(p_model)).closed_until;
end
$$;
select is(refuse(:w, m, status, 1, bound - 1), null, format('%s: not before', status))
from refusing;
select is(refuse(:w, m, status, 1, 1), 'infinity', format('%s: one more task parks it', status))
from refusing;
select is((model_row(m)).closed_detail, format('refused: calls go to http://h/p: HTTP %s', status),
  format('%s: and says why', status))
from refusing;
select is((model_row(m)).closed_reason, format('refused: HTTP %s', status),
  format('%s: and says it to all', status)) from refusing;
select is((select count(*) from sluice.later b join refusing r on b.model = id_of(r.m)
  and b.attempts = 0), 12::bigint, 'no task is charged');

select * from finish();
rollback;
