-- sluice.next_work, sluice.look_ahead
-- The attack: tasks with a run_at, cancelled beside a held snapshot. Each look of a worker that was
-- about to sleep walked over all of them.
begin;
\set alone
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
create function later(p_model text, p_from int, p_to int, p_at numeric) returns void language sql
as $$ insert
  into sluice.later (task_id, ready_at, model, request_bytes, fence, rank, attempts, tenant)
      select n, at(p_at), id_of(p_model), 1, 0, 0, 0, 'default'
      from generate_series(p_from, p_to) n $$;
delete from sluice.mark where line = 0;
-- As beside a snapshot that is held: each is visited, and none is seen.
select later(:'m', 1001, 41000, 1000) \g /dev/null
delete from sluice.later where task_id > 1000;
select pg_stat_get_xact_blocks_fetched('sluice.later'::regclass) as before \gset
select is(wake_at, null, 'none is known') from sluice.next_work('{}', at(0));
select cmp_ok(pg_stat_get_xact_blocks_fetched('sluice.later'::regclass) - :before, '<', 20::bigint,
  'of those that are due after the next look');
select later(:'m', 1, 1, 60) \g /dev/null
select is(wake_at, at(60), 'what comes before is') from sluice.next_work('{}', at(0));
update sluice.settings set idle_look = '2 hours';
select later(:'m', 2, 2, 7200) \g /dev/null
delete from sluice.later where task_id = 1;
select is(wake_at, at(7200), 'or for as long as a worker sleeps')
from sluice.next_work('{}', at(0));

select * from finish();
rollback;
