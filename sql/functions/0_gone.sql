-- Before the functions of now take the place of those of before. What those have that would stand
-- in their way (a function that now returns something else, or beside which one of now would be
-- ambiguous) is dropped here; the rest in dropped.sql.

-- No model or route comes until the end: its line would have the functions of before.
do $$
begin
  lock table sluice.models, sluice.routes in share row exclusive mode;
end
$$;
