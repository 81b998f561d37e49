-- Revisions of the configuration: what each row of models, routes, fallbacks, tenants, budgets and
-- settings was before and after somebody changed it, with plain SQL or with a function. They are
-- for taking a change back (8_control/revert.sql); the audit (audit.sql) tells who did what.

-- revision_key: the columns that tell the rows of a table apart. The first one is its revisions'
-- name; they hold the second one besides what changed. Settings have one row.
create or replace function sluice.revision_key(p_kind text) returns text[]
language sql immutable parallel safe
as $$
  select case p_kind when 'routes' then '{route,model}' when 'fallbacks' then '{target,cause}'
    when 'settings' then '{}' else '{name}' end::text[]
$$;

-- note_revision: a trigger that notes the columns that changed, but for hidden ones. Its reason is
-- what the setting sluice.reason says, which whoever changes something may set in his transaction.
-- Not noted: that a worker closes a model or opens it again (3_limits/closures.sql).
create or replace function sluice.note_revision() returns trigger
language plpgsql security definer
set search_path = sluice, pg_temp
as $$
declare
  c_closure constant text[] := array['closed_until', 'closed_reason', 'closed_detail'];
  v_old jsonb := to_jsonb(old) - sluice.hidden_columns();
  v_new jsonb := to_jsonb(new) - sluice.hidden_columns();
  v_key text[] := sluice.revision_key(tg_table_name);
  v_changed text[];
begin
  if tg_op = 'UPDATE' then
    v_changed := array(select n.key from jsonb_each(v_new) n
      where n.value is distinct from v_old -> n.key);
    if v_changed = '{}' or v_changed <@ c_closure
      and current_setting('sluice.closed_by', true) = 'worker' then
      return null;
    end if;
    v_changed := v_changed || v_key[2:];
    v_old := (select jsonb_object_agg(o.key, o.value) from jsonb_each(v_old) o
      where o.key = any (v_changed));
    v_new := (select jsonb_object_agg(n.key, n.value) from jsonb_each(v_new) n
      where n.key = any (v_changed));
  end if;
  insert into sluice.revision (at, who, api_key, kind, name, action, before, after,
    reason)
  values (clock_timestamp(), session_user,
    sluice.caller_key(), tg_table_name,
    coalesce(to_jsonb(new), to_jsonb(old)) ->> v_key[1],
    lower(tg_op collate "C"),  -- in Turkish an insert would be an ınsert
    v_old, v_new, left(nullif(current_setting('sluice.reason', true), ''), 1000));
  return null;
end
$$;

do $$
declare
  v_table text;
begin
  foreach v_table in array array['models', 'routes', 'fallbacks', 'tenants', 'settings', 'budgets']
  loop
    execute format($sql$
      create or replace trigger note_revision after insert or update or delete on sluice.%I
        for each row execute function sluice.note_revision()$sql$, v_table);
  end loop;
end
$$;

-- give_reason: sets the reason of the changes that follow in this transaction; null: none.
-- Returns: the one before, to be set again.
create or replace function sluice.give_reason(p_reason text) returns text
language plpgsql volatile
as $$
declare
  v_before text := current_setting('sluice.reason', true);
begin
  perform set_config('sluice.reason', coalesce(p_reason, ''), true);
  return v_before;
end
$$;

-- revisions: the revisions of the configuration, with the names of secrets and the URLs: for
-- administrators.
create or replace view sluice.revisions with (security_barrier) as
  select r.id, r.at, case when r.api_key is null then r.who::text
    else format('key %s via %s', r.api_key, r.who) end as who, r.kind, r.name, r.action, r.before,
    r.after, r.reverts, r.reason
  from sluice.revision r where (select sluice.acts_as_administrator());

-- revision_rows_max: how many revisions are kept, whatever their age: 30 to 100 MB.
create or replace function sluice.revision_rows_max() returns bigint
language sql immutable parallel safe
as $$ select 100000::bigint $$;

-- forget_revisions: removes revisions older than 400 days, as audit rows, or beyond
-- revision_rows_max; at most 1,000 a call. Called by tick and retain.
create or replace function sluice.forget_revisions(p_now timestamptz) returns void
language plpgsql volatile
as $$
begin
  delete from sluice.revision r where r.id = any (array(  -- not a join, as forget_audit
    select o.id from (select id, at from sluice.revision order by id limit 1000) o
    where o.at < p_now - interval '400 days'
      or o.id <= (select max(id) from sluice.revision) - sluice.revision_rows_max()));
end
$$;
