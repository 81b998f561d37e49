-- Types and functions that changed their shape.
-- The claim of a traced task says how long it was in the queue.
alter type sluice.claimed_task add attribute queued_ms bigint;

-- They take a traceparent now (13_submit_each.sql).
drop function if exists sluice.submit_each(text[], text[], text[], timestamptz),
  sluice.submit_each_in_order(text[], text[], text[], timestamptz),
  sluice.submit_array(text, text, text, timestamptz), sluice.task_of_body(text, text, text);

-- put_<n> is a procedure now (28_generated.sql); the functions' file makes them anew.
do $$
declare
  v_model int;
begin
  for v_model in select id from sluice.models loop
    execute format('drop function if exists sluice.put_%s(bigint, timestamptz, timestamptz, int, int, text)', v_model);
  end loop;
end
$$;
