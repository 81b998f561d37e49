-- The audit and the revisions of the configuration as JSON, for administrators.

-- show_audit: a page of sluice.audit_log, newest first.
-- Params:  p_before: ids below this one (null: all); p_limit.
create or replace function sluice.show_audit(p_before bigint, p_limit int) returns jsonb
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
begin
  return (select jsonb_build_object('object', 'list', 'data', coalesce(jsonb_agg(
      to_jsonb(l) || jsonb_build_object('id', l.id::text) order by l.id desc), '[]'))
    from (select a.id from sluice.audit a where p_before is null or a.id < p_before
      order by a.id desc limit p_limit) i
    cross join lateral (select a.* from sluice.audit_log a where a.id = i.id offset 0) l);
end
$$;

-- revision_json: a revision as the console reads it.
create or replace function sluice.revision_json(p_revision sluice.revisions) returns jsonb
language sql stable
as $$
  select to_jsonb(p_revision) || jsonb_build_object('id', p_revision.id::text, 'reverts',
    p_revision.reverts::text)
$$;

-- show_revisions: a page of sluice.revisions, newest first.
-- Params:  p_kind, p_name: only of these (null: any); p_before: ids below this one (null: all);
--          p_limit.
create or replace function sluice.show_revisions(
  p_kind text, p_name text, p_before bigint, p_limit int)
returns jsonb
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v_ids bigint[] := array(
    select r.id from sluice.revision r
    where (p_kind is null or r.kind = p_kind) and (p_name is null or r.name = p_name)
      and (p_before is null or r.id < p_before)
    order by r.id desc limit p_limit);
begin
  return (select jsonb_build_object('object', 'list', 'data', coalesce(jsonb_agg(
      sluice.revision_json(r) order by r.id desc), '[]'))
    from sluice.revisions r where r.id = any (v_ids));
end
$$;

-- revert_revision: sluice.revert.
-- Returns: the new revision.
-- Errors:  as revert.
create or replace function sluice.revert_revision(p_revision bigint, p_force boolean) returns jsonb
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  v_new bigint := sluice.revert(p_revision, p_force);
begin
  return (select sluice.revision_json(r) from sluice.revisions r where r.id = v_new);
end
$$;
