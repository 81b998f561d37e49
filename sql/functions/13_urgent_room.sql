-- urgent_room: how many more tasks of a priority above 0 go straight into the queue of model p_model although others wait
-- for room: until a quarter of p_max_queue are of such. Else they would wait for the next admission, 300 ms with 10,000
-- tasks waiting. What is more than that waits for its turn, or a stream of them would keep out for ever who has grown old.
-- Asked only by them, and only when there is no room.
create or replace function sluice.urgent_room(p_model int, p_max_queue int) returns int
language plpgsql volatile
as $$
declare
  v_most int := ceil(p_max_queue / 4.0)::int;
  v_urgent int;
begin
  execute format('select sluice.urgent_%s($1)', p_model) into v_urgent using v_most;
  return v_most - v_urgent;
end
$$;
