-- sluice.note_health
begin;
\ir ../../_helpers.sql
select plan(7);

select given_model(max_attempts => 50) as m \gset
select id_of(:'m') as id \gset
select given_worker() as w \gset
select given_tasks(:'m', 10) \g /dev/null
select claimed(:w, 1, at(0)) as old \gset
select sluice.move_breaker(:id, 'closed', 'open', 'test', at(0));
create function probe(p_worker bigint, p_kind text, p_now timestamptz) returns text language plpgsql
as $$
declare
  v_task bigint := (claimed(p_worker, 5, p_now))[1];
begin
  perform completed(p_worker,
    told(v_task, p_kind, (select fence from sluice.lease where task_id = v_task)), p_now);
  return (select b.state || ' ' || b.successes from sluice.breaker b
    join sluice.queue_facts(p_now) f on f.model = b.model
          where b.model = (select model from sluice.task where id = v_task));
end
$$;
select is(probe(:w, 'retry', at(30)), 'open 0', 'a probe fails: open again');
select is(claimed(:w, 5, at(59)), '{}', 'for as long as before');
select is(probe(:w, 'solved', at(60)), 'half_open 1', 'one succeeds');
select completed(:w, told((:'old'::bigint[])[1], 'retry'), at(61)) \g /dev/null
select is((select state from sluice.breaker where model = :id), 'half_open',
  'an old call''s failure says nothing');
select is(probe(:w, 'solved', at(61)), 'closed 0', 'the second closes it');
select cmp_ok(cardinality(claimed(:w, 5, at(62))), '>', 1, 'and all goes on');
select is((select array_agg(to_state order by id) from sluice.breaker_event where model = :id),
  array['open', 'half_open', 'open', 'half_open', 'closed'], 'the history tells it');

select * from finish();
rollback;
