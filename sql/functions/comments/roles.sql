-- What psql's \du+ says of the roles. They are the cluster's, so that this takes more rights than
-- their own schema's owner has: the login that migrates tries. Where it may not, or another
-- database's migration does the same now, they stay as they are.
do $$
declare
  v_owner text := current_user;
  v_role record;
begin
  if not exists (select from pg_namespace where nspname = 'sluice'
    and pg_get_userbyid(nspowner) = 'sluice_owner') then
    return;  -- a schema without roles
  end if;
  perform set_config('role', 'none', true);
  for v_role in
    select r.name, r.text from (values
      ('sluice_owner', 'Sluice: owns the schema and its functions. For sluice migrate alone.'),
      ('sluice_worker', 'Sluice: for workers. Calls the worker protocol; reads no table.'),
      ('sluice_submitter', 'Sluice: for programs. Submits for its tenants, sees, cancels and '
        'redrives their tasks.'),
      ('sluice_reader', 'Sluice: for monitoring. Reads queues, workers, counts, and its tenants'' '
        'tasks; changes nothing.'),
      ('sluice_admin', 'Sluice: for operators and sluice serve. Configures, sees every tenant, and '
        'does what the others do.')) r(name, text)
    where to_regrole(r.name) is not null
      and shobj_description(to_regrole(r.name), 'pg_authid') is distinct from r.text
  loop
    execute format('comment on role %I is %L', v_role.name, v_role.text);
  end loop;
  perform set_config('role', v_owner, true);
exception when insufficient_privilege or lock_not_available or unique_violation or internal_error
then
  null;  -- with what it did, the role that it had is back
end
$$;
