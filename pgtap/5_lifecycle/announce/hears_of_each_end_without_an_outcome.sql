begin;
\set alone
\ir ../../_helpers.sql
select plan(9);

-- Nobody hears the notifications of a test, so they are written down instead.
create temp table heard (id bigint) on commit drop;
grant insert on heard to public;
create or replace function sluice.announce_ended(p_ids bigint[]) returns int language plpgsql
as $$ begin insert into pg_temp.heard select unnest(p_ids); return 0; end $$;
create function heard() returns bigint[] language sql
as $$ with gone as (delete from pg_temp.heard
  returning id) select coalesce(array_agg(id order by id), '{}') from gone $$;

select given_model(max_attempts => 1) as m \gset
select given_worker() as w \gset
select given_tasks(:'m', 4) \g /dev/null
select ids[1] as solved, ids[2] as failed, ids[3] as aborted, ids[4] as lost
from claimed(:w, 4) ids \gset
select sluice.complete(:w, array[told(:solved, 'solved'), told(:failed, 'failed')],
  at(1)) \g /dev/null
select is(heard(), '{}', 'a completion announces nothing: its worker does, after the commit');

select given_task(:'m') as waits \gset
select sluice.cancel(:waits, at(1)) \g /dev/null
select is(heard(), array[:waits]::bigint[], 'a cancelled one');
select sluice.cancel(:waits, at(1)) \g /dev/null
select is(heard(), '{}', 'once');
select given_task(:'m') as of_many \gset
select sluice.cancel_all(:'m', p_now => at(1)) \g /dev/null
select is(heard(), array[:of_many]::bigint[], 'each of many; running ones have not ended yet');

select given_task(:'m', deadline => at(5)) as late \gset
select sluice.expire_due(at(6)) \g /dev/null
select is(heard(), array[:late]::bigint[], 'an expired one');
select given_task(:'m', deadline => at(7)) as met \gset
select is(claimed(:w, 1, at(8)), '{}', 'a claim meets one past its deadline');
select is(heard(), array[:met]::bigint[], 'and that is announced');

delete from sluice.cancellation where task_id = :lost;
select sluice.charge_lost(array(select l from sluice.lease l where l.task_id = :lost), at(9));
select is(heard(), array[:lost]::bigint[], 'a dead letter of a lost worker');
delete from sluice.lease where task_id = :lost;
select sluice.unregister_worker(:w, at(9)) \g /dev/null
select is(heard(), array[:aborted]::bigint[], 'what was being cancelled when its worker left');

select * from finish();
rollback;
