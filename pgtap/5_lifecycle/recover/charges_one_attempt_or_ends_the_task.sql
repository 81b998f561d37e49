begin;
\ir ../../_helpers.sql
select plan(5);

select given_model(max_attempts => 2) as m \gset
select given_worker() as w \gset
select given_tasks(:'m', 2) \g /dev/null
select ids[1] as once, ids[2] as twice from claimed(:w, 2) ids \gset
create temp table lost on commit drop as
select row(l.task_id, l.worker, l.ready_at, l.started_at, l.deadline, l.reserved_tokens, l.model,
  l.request_bytes, l.fence, l.rank,
  case when l.task_id = :twice then 1 else 0 end, 'default', 1, null)::sluice.lease as lease
    from sluice.lease l where l.worker = :w;
delete from sluice.lease where worker = :w;
select sluice.charge_lost(array(select lease from lost), at(9));
select is(places(:once), 'queue', 'with an attempt left it goes back');
select is((select attempts::int from sluice.queue where task_id = :once), 1, 'charged');
select is(places(:twice), 'failed', 'with none left it has ended');
select is((select count(*) from sluice.attempt where task_id in (:once, :twice) and kind = 'lost'
  and ended_at = at(9)), 2::bigint, 'both calls are noted');
select is(sluice.in_flight(id_of(:'m')), 0::bigint, 'neither is in flight');

select * from finish();
rollback;
