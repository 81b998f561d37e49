-- Lists the functions that these files no longer define, with their triggers, and the types that
-- others took the place of, for sluice.drop_remains(), which drops them later because calls under
-- way may need them. Only functions of the schema's owner are listed. A new database has no such
-- calls. Runs before the grants, which touch every function.
do $$
begin
  drop table if exists sluice.remains;
  create table sluice.remains (statement text primary key);
  with gone as (
    select p.oid from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = 'sluice' and p.proowner = n.nspowner
      and (p.xmin <> pg_current_xact_id()::xid or p.proname ^@ 'gone_'))
  insert into sluice.remains (statement)
  select format('drop routine if exists %s', oid::regprocedure) from gone
  union all
  select format('drop trigger if exists %I on %s', t.tgname, t.tgrelid::regclass) from pg_trigger t
  join gone on gone.oid = t.tgfoid
  union all
  select format('drop type if exists sluice.%I', old.name)
  from unnest('{draft, destination, line_share, claimed_task}'::text[]) old(name)
  where to_regtype('sluice.' || old.name) is not null;
  if not exists (select from sluice.remains) then
    drop table sluice.remains;
  elsif not exists (select from sluice.models) then
    perform sluice.drop_remains(), sluice.drop_remains();
  end if;
end
$$;
