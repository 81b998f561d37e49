-- The roles, the schema, and the migrator's own book-keeping. Files 0001 to 0008 are the baseline, one a subject; what came later is in
-- the files after them, which change some of these tables.
--
-- Roles are created where they are absent and the caller may create them; a DBA may make them beforehand.
-- sluice_owner owns everything; the other four receive their grants with the functions.
do $$
declare
  v_role text;
begin
  foreach v_role in array array['sluice_owner', 'sluice_worker', 'sluice_submitter', 'sluice_reader', 'sluice_admin'] loop
    if not exists (select from pg_roles where rolname = v_role) then
      begin
        execute format('create role %I nologin', v_role);
      exception when duplicate_object or unique_violation then
        null;  -- roles belong to the whole cluster: another database's migration was faster
      end;
    end if;
  end loop;
  -- A superuser is a member of every role; others need the membership to create as the owner.
  if not pg_has_role(current_user, 'sluice_owner', 'member') then
    execute format('grant sluice_owner to %I', current_user);
  end if;
end
$$;

create schema sluice authorization sluice_owner;

set local role sluice_owner;

-- One row per migration that ran here.
create table sluice.migration (
  version    int primary key,
  name       text not null,
  sha256     text not null,
  applied_at timestamptz not null default clock_timestamp()
);

-- One row: which set of functions is in force, and which release brought it.
create table sluice.function_set (
  one            boolean primary key default true,
  sha256         text not null,
  sluice_version text not null,
  applied_at     timestamptz not null default clock_timestamp(),
  constraint there_is_one_function_set check (one)
);
