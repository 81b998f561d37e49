-- A new database has nothing of what an upgrade leaves (20_remains.sql).
do $$
begin
  if not exists (select from sluice.models) then
    perform sluice.drop_remains(), sluice.drop_remains();
  end if;
end
$$;
