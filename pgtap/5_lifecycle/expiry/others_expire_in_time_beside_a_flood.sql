-- sluice.late_in_turns, sluice.lock_late
-- The attack: tasks of others that expired behind 50,000 of one tenant were told so 114 s later.
begin;
\set alone
\ir ../../_helpers.sql
select plan(6);

select given_model() as m \gset
-- No line is empty: all have more than their share.
select format('create or replace function sluice.all_lines() returns int[] language sql as '
  '$$ select array[%s] $$', id_of(:'m')) as one_line \gset
:one_line;
select sluice.submit_many(jsonb_agg(jsonb_build_object('prompt', 'x', 'model', :'m'::text,
  'tenant', 'flood', 'deadline', at(5), 'run_at', r)), at(1))
from generate_series(1, 1500), (values (null), (at(4))) w(r) \g /dev/null
create function small(p_model text, p_run_at timestamptz) returns bigint language sql
as $$ select sluice.submit('x', p_model, tenant => 'small', deadline => at(6), run_at => p_run_at,
  p_now => at(1)) $$;
select count(sluice.submit('x', :'m', tenant => 'small', p_now => at(1)))
from generate_series(1, 300) \g /dev/null
select small(:'m', null) as ready, small(:'m', at(4)) as later \gset
select given_wait(at(900), variadic array(select task_id from sluice.later)) \g /dev/null
select is(sluice.expire_due(at(7)), 1000, 'no more than before');
select is(places(:ready), 'expired', 'in a line');
select is(places(:later), 'expired', 'and of what waits for its time');
select is(sluice.expire_due(at(7)) + sluice.expire_due(at(7)) + sluice.expire_due(at(7)), 2002,
  'to the end');

-- A line that is empty after the first round.
select sluice.submit_many(jsonb_agg(jsonb_build_object('prompt', 'x', 'model', :'m'::text,
  'deadline', at(8))), at(7))
from generate_series(1, 375) \g /dev/null
select is(sluice.expire_due(at(9)), 375, 'and of as many as its share a line has all');

-- The attack: late tasks of 201 priorities took 201 of 202 turns.
select sluice.submit_many(jsonb_agg(jsonb_build_object('prompt', 'x', 'model', :'m'::text,
  'tenant', 'flood', 'priority', p, 'deadline', at(11))), at(10))
from generate_series(-100, 100) p, generate_series(1, 10) \g /dev/null
select sluice.submit('x', :'m', tenant => 'few', deadline => at(12), p_now => at(10)) as few
\gset
select is(array(select q.task_id from unnest(sluice.late_in_turns(id_of(:'m'), 2, 20000, at(13))) p
    join sluice.queue q on q.ctid = p where q.tenant = 'few'), array[:few]::bigint[],
  'a tenant has one turn, however many lanes it has');

select * from finish();
rollback;
