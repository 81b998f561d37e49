-- sluice.note_health
begin;
\ir ../../_helpers.sql
select plan(7);

select given_model(max_attempts => 50) as m \gset
select id_of(:'m') as id \gset
select given_worker() as w \gset
update sluice.models set breaker_failures = 3 where name = :'m';
select given_tasks(:'m', 20) as ids \gset
select claimed(:w, 20, at(1)) \g /dev/null
create function end_one(p_kind text, p_status int default null) returns text language plpgsql
as $$
declare
  v_lease sluice.lease := (select l from sluice.lease l
    where xmin::text = pg_current_xact_id()::text order by task_id limit 1);
begin
  perform completed(v_lease.worker, told(v_lease.task_id, p_kind, http_status => p_status), at(2));
  return coalesce((select state from sluice.breaker where model = v_lease.model), 'closed');
end
$$;
select is(end_one('retry') || end_one('retry', 500), 'closedclosed', 'two failures');
select is(end_one('solved', 200), 'closed', 'a success: the count begins anew');
select is(end_one('retry') || end_one('retry', 503) || end_one('failed', 400), 'closedclosedclosed',
  'an error of the caller is a sign of life');
select is(end_one('retry') || end_one('retry') || end_one('retry', 502), 'closedclosedopen',
  'three in a row open it');
select is((select reason from sluice.breaker where model = :id),
  '3 failures in a row, the last: HTTP 502', 'with the reason');
select is(end_one('solved', 200) || end_one('retry'), 'openopen',
  'calls begun before say nothing any more');
select is((select count(*) from sluice.breaker_event where model = :id), 1::bigint,
  'one transition');

select * from finish();
rollback;
