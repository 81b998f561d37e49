-- Revert: takes a change of the configuration back.

-- revision_condition: on a row c: whether it is the one that a revision was about, whose name is $1
-- and which holds $2.
create or replace function sluice.revision_condition(p_kind text) returns text
language sql immutable
as $$
  select case when p_kind = 'settings' then 'c.one' else (
    select string_agg(case k.n when 1 then format('c.%I = $1', k.key)
      else format('c.%1$I = $2 ->> %1$L', k.key) end, ' and ')
    from unnest(sluice.revision_key(p_kind)) with ordinality k(key, n)) end
$$;

-- restore_row: makes the row of a revision what it was before: deletes it, inserts it, or sets the
-- columns that had changed.
-- Params:  p_exists: whether there is such a row now.
create or replace function sluice.restore_row(p_revision sluice.revision, p_exists boolean)
returns void
language plpgsql volatile
as $$
declare
  v_before jsonb := p_revision.before;
begin
  execute format(case
      when v_before is null then 'delete from sluice.%1$I c where %3$s'
      when p_exists then 'update sluice.%1$I c set (%2$s) = (
        select %2$s from jsonb_populate_record(c, $3)) where %3$s'
      else 'insert into sluice.%1$I (%2$s)
        select %2$s from jsonb_populate_record(null::sluice.%1$I, $3)' end,
    p_revision.kind, (select string_agg(quote_ident(k), ', ') from jsonb_object_keys(v_before) k
      where k = any (sluice.configurable_columns(p_revision.kind))),
    sluice.revision_condition(p_revision.kind))
  using p_revision.name, coalesce(p_revision.after, v_before), v_before;
end
$$;

-- revert: takes a revision of the configuration back: gives the columns that it changed the values
-- of before, inserts what it deleted, deletes what it inserted.
-- Params:  revision: its id in sluice.revisions; force: even if one of these columns has changed
--          since.
-- Returns: the id of the new revision, whose reverts is this one.
-- Errors:  SL006 no such revision; SL004 all is as it was before; SL011 a column has changed since,
--          or the row is gone or there again: COLUMN is the first (a change of a row that is gone
--          cannot be forced back); 23xxx, 55P03 as plain SQL: a model with unfinished tasks stays.
create or replace function sluice.revert(revision bigint, force boolean default false)
returns bigint
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  v sluice.revision;
  v_row jsonb;
  v_changed text[];
  v_last bigint;
  v_new bigint;
begin
  select r.* into v from sluice.revision r where r.id = revert.revision;
  if not found then
    raise exception 'there is no revision %', revert.revision using errcode = 'SL006',
      hint = 'sluice.revisions lists what there is.';
  end if;
  execute format('select to_jsonb(c) from sluice.%I c where %s for update', v.kind,
    sluice.revision_condition(v.kind))
  into v_row using v.name, coalesce(v.after, v.before);
  v_changed := case when (v_row is null) <> (v.after is null) then array['name']
    else array(select a.key from jsonb_each(v.after) a
      where a.value is distinct from v_row -> a.key order by a.key) end;
  if v_changed <> '{}' and (not force or v_row is null and v.action = 'update') then
    raise exception '% changed since: %',
      case when v.kind = 'settings' then v.kind else format('%s "%s"', v.kind, v.name) end,
      array_to_string(v_changed, ', ')
      using errcode = 'SL011', column = v_changed[1],
      hint = 'Revert what changed it first, or force it.';
  end if;
  v_last := (select max(r.id) from sluice.revision r);
  perform sluice.restore_row(v, v_row is not null);
  -- Others who change that row wait for this transaction.
  select r.id into v_new from sluice.revision r
  where r.id > v_last and r.kind = v.kind and r.name is not distinct from
    coalesce(v.before ->> (sluice.revision_key(v.kind))[1], v.name)
  order by r.id limit 1;
  if v_new is null then
    raise exception 'revision % is taken back already', v.id using errcode = 'SL004',
      column = 'revision';
  end if;
  update sluice.revision r set reverts = v.id where r.id = v_new;
  perform sluice.note_audit('revert', coalesce(v.name, v.kind),
    jsonb_build_object('revision', v.id, 'kind', v.kind, 'force', force));
  return v_new;
end
$$;
