begin;
\ir ../../_helpers.sql
select plan(4);

select given_model(max_attempts => 2) as m \gset
select given_task(:'m') as t \gset
select given_worker(p_now => at(0)) as judge \gset
create function killed(p_judge bigint, p_task bigint, p_second int) returns text language plpgsql
as $$
begin
  perform claimed(given_worker(p_now => at(p_second)), 1, at(p_second));
  for s in p_second .. p_second + 20 by 5 loop
    perform sluice.heartbeat(p_judge, at(s));
  end loop;
  perform sluice.recover(p_judge, at(p_second + 20));
  return places(p_task);
end
$$;
select is(killed(:judge, :t, 0), 'queue', 'the first worker it kills');
select is(killed(:judge, :t, 20), 'failed', 'the second was its last attempt');
select results_eq(format('select attempts, error_code from sluice.dead_letters where id = %s', :t),
  $$values (2, 'worker_lost'::text)$$, 'it is a dead letter');
select is((select array_agg(kind) from sluice.attempt where task_id = :t), array['lost', 'lost'],
  'both calls are noted');

select * from finish();
rollback;
