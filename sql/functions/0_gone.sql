-- Before the functions of now take the place of those of before. What those have that would stand
-- in their way (a function that now returns something else, or beside which one of now would be
-- ambiguous) is dropped here; the rest in dropped.sql.

-- Here and not by a migration: between the two the functions of before would not find it.
do $$
begin
  if exists (select from pg_attribute where attrelid = 'sluice.head'::regclass
             and attname = 'room') then
    alter type sluice.head rename attribute room to headroom;
    drop function if exists sluice.lane_facts(int, sluice.head[], sluice.lane_round[], int,
      boolean[], smallint);
  end if;
end
$$;

-- No model or route comes until the end: its line would have the functions of before.
do $$
begin
  lock table sluice.models, sluice.routes in share row exclusive mode;
end
$$;
