-- What schema 34 had and later ones do not. Here, not in a migration: until the functions' files are applied those of schema 34 go on.

do $$
begin
  if exists (select from pg_attribute where attrelid = 'sluice.rung'::regclass and attname = 'model') then
    alter table sluice.rung rename column model to line;
  end if;
end
$$;
drop type if exists sluice.arrival, sluice.lane_head, sluice.waiting_task, sluice.route_share, sluice.queue_room, sluice.headroom_max cascade;
drop table if exists sluice.lane;
drop function if exists sluice.ring(int), sluice.ring_line(text);
