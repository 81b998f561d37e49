begin;
\ir ../../_helpers.sql
select plan(1);

select given_model() as m \gset
select given_worker() as w \gset
select given_tasks(:'m', 6) as ids \gset
select claimed(:w, 6) \g /dev/null
select sluice.note_attempts(o.outcomes,
  array(select row(n, l)::sluice.ended_call from sluice.lease l,
    lateral (select l.task_id - (:'ids'::bigint[])[1] + 1 as n) x where l.worker = :w
      order by n), at(2), null)
from (select array(select told(t, k) from unnest(:'ids'::bigint[],
  array['solved', 'failed', 'retry', 'throttled', 'returned', 'cancelled']) x(t, k)) as outcomes) o;
select set_eq(format('select task_id, kind from sluice.attempt where worker = %s', :w),
  format('values (%s::bigint, ''failed''::text), (%s, ''retry'')', (:'ids'::bigint[])[2],
    (:'ids'::bigint[])[3]),
  'failed and retry; the others went well, or were never sent');

select * from finish();
rollback;
