-- urgent_room: how many more tasks of a priority above 0 go straight into the queue of model p_model although others wait
-- for room: a quarter of max_queue beyond it. Else they would wait for the next admission, 300 ms with 10,000 tasks
-- waiting. Asked only by them, and only when there is no room: counting costs 50 us.
create or replace function sluice.urgent_room(p_model int, p_max_queue int) returns int
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_most int := p_max_queue + ceil(p_max_queue / 4.0)::int;
begin
  return v_most - sluice.depth(p_model, v_most);
end
$$;
