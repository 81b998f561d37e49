-- What the check constraints of models, settings and tenants refuse, said without the row.

-- before_row_changes: refuses what a check constraint of the table would refuse. PostgreSQL itself
-- would quote the whole row to the client and into its log: a credential that somebody has put in
-- place of its reference, and forty values that are not at fault. The rules are the constraints'
-- own; they stay in force beneath.
-- Errors:  SL004 the secret is no reference; 23514 another constraint.
create or replace function sluice.before_row_changes() returns trigger
language plpgsql security definer
set search_path = sluice, pg_temp
as $$
declare
  v_row jsonb := to_jsonb(new);
  v_id oid;
  v_rule pg_constraint;
begin
  execute (
    select format('select c.rule from (select ($1).*) n cross join lateral (values %s) c(rule, '
      'holds) where not c.holds limit 1', string_agg(format('(%s::oid, %s)', c.oid,
      pg_get_expr(c.conbin, c.conrelid)), ', ' order by c.conname <> 'secret_is_a_reference',
      c.conname))
    from pg_constraint c where c.conrelid = tg_relid and c.contype = 'c')
  into v_id using new;
  if v_id is null then
    return new;
  end if;
  select c.* into v_rule from pg_constraint c where c.oid = v_id;
  if v_rule.conname = 'secret_is_a_reference' then
    raise exception 'secret is refused: secret is a reference: env:NAME or file:/path'
      using errcode = 'SL004', column = 'secret',
        hint = 'Put the secret itself into the environment of the workers, or into a file that '
               'they may read. What was given here is not stored; where others may have seen the '
               'statement, renew it.';
  end if;
  raise exception 'new row for relation "%" violates check constraint "%"', tg_table_name,
      v_rule.conname
    using errcode = '23514', table = tg_table_name, constraint = v_rule.conname,
      hint = format('It must hold that %s.%s', pg_get_expr(v_rule.conbin, v_rule.conrelid), (
        select ' Given: ' || string_agg(format('%s = %s', a.attname,
          coalesce(left(v_row ->> a.attname, 100), 'null')), ', ' order by a.attnum) || '.'
        from pg_attribute a
        where a.attrelid = tg_relid and a.attnum = any (v_rule.conkey)
          and a.attname not in ('secret', 'trace_url')  -- may hold credentials
          -- so may a url: before an @, behind a ?, and what is no address may be a key
          and (a.attname <> 'url' or v_row ->> 'url' !~ '[@?]|[[:alnum:]_-]{20}')));
end
$$;

create or replace trigger before_row_changes before insert or update on sluice.models
  for each row execute function sluice.before_row_changes();
create or replace trigger before_row_changes before insert or update on sluice.settings
  for each row execute function sluice.before_row_changes();
create or replace trigger before_row_changes before insert or update on sluice.tenants
  for each row execute function sluice.before_row_changes();
