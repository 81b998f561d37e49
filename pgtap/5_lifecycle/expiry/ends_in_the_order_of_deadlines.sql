-- sluice.expire_due, sluice.lock_late
begin;
\set alone
\ir ../../_helpers.sql
select plan(1);

select given_model() as m \gset
select sluice.submit_many(jsonb_agg(jsonb_build_object('prompt', 'x', 'model', :'m'::text,
  'tenant', 'flood', 'deadline', at(5))), at(1))
from generate_series(1, 3000) \g /dev/null
-- Behind more of its own than are looked at by turns.
create or replace function sluice.late_in_turns(
  p_line int, p_max int, p_looks int, p_now timestamptz) returns tid[] language sql
as $$ select '{}'::tid[] $$;
select given_task(:'m', tenant => 'small', deadline => at(4), p_now => at(1)) as last \gset
select sluice.expire_due(at(7)) \g /dev/null
select is(places(:last), 'expired', 'the earliest ends first, wherever it lies in its table');

select * from finish();
rollback;
