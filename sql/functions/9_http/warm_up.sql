-- warm_up: does nothing any more. Workers and servers of before call it in each new session.
create or replace function sluice.warm_up() returns void
language sql volatile security definer
set search_path = sluice, pg_temp
as $$ select $$;
