-- sluice.first_late, sluice.lock_late
begin;
\set alone
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select sluice.submit_many(jsonb_agg(jsonb_build_object('prompt', 'x', 'model', :'m'::text,
  'tenant', 'flood', 'deadline', at(5))), at(1))
from generate_series(1, 3000) \g /dev/null
-- Behind more of its own than are looked at by turns.
create or replace function sluice.late_in_turns(
  p_line int, p_max int, p_looks int, p_now timestamptz) returns tid[] language sql
as $$ select '{}'::tid[] $$;
select given_task(:'m', tenant => 'small', deadline => at(4), p_now => at(1)) as last,
  id_of(:'m') as line \gset
select is(sluice.first_late(:line, 1, at(7)),
  (select array[ctid] from sluice.queue where task_id = :last), 'the earliest is the first');
select sluice.expire_due(at(7)) \g /dev/null
select is(places(:last), 'expired', 'and ends first, wherever it lies in its table');

select * from finish();
rollback;
