-- given_bounds: how much one round of retention may do. Needs the database alone.
create function given_bounds(kept_tasks int default 10000, kept_bytes bigint default 67108864,
  erased_tasks int default 5000, looked_keys int default 1000000) returns void language plpgsql
as $$
begin
  execute format('create or replace function sluice.retention_bounds(
    out kept_tasks int, out kept_bytes bigint, out erased_tasks int, out looked_keys int)
    language sql immutable as ''select %s, %s::bigint, %s, %s''',
    kept_tasks, kept_bytes, erased_tasks, looked_keys);
end
$$;
