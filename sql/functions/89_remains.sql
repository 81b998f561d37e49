-- What these files no longer make is listed for sluice.drop_remains(), for calls that are under way may need it: functions that they have
-- not made anew (but somebody else's) with their triggers, and what each model had in schema 44. A new database has no such calls. Before
-- the grants, which touch every function.
do $$
begin
  drop table if exists sluice.remains;
  create table sluice.remains (statement text primary key);
  with gone as (
    select p.oid from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = 'sluice' and p.proowner = n.nspowner and p.xmin <> pg_current_xact_id()::xid)
  insert into sluice.remains (statement)
  select format('drop routine if exists %s', oid::regprocedure) from gone
  union all
  select format('drop trigger if exists %I on %s', t.tgname, t.tgrelid::regclass) from pg_trigger t join gone on gone.oid = t.tgfoid
  union all
  select format('drop %s if exists %s', case c.relkind when 'S' then 'sequence' else 'index' end, c.oid::regclass)
  from pg_class c
  where c.relnamespace = 'sluice'::regnamespace and (c.relkind = 'S' and c.relname ~ '^(mark|paced|paced_at|room|tended)_[0-9]+$'
    or c.relkind = 'i' and c.relname ~ '^queue_[0-9]+_rank_ready_at_task_id_idx$')
  union all
  select 'select sluice.drop_backlog()' where to_regclass('sluice.backlog') is not null;
  if not exists (select from sluice.remains) then
    drop table sluice.remains;
  elsif not exists (select from sluice.models) then
    perform sluice.drop_remains(), sluice.drop_remains();
  end if;
end
$$;
