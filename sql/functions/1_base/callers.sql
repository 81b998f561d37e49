-- For which tenants a caller may act. The caller is the session's user and, after SET ROLE, that
-- role as well. Both must be allowed, so nobody gains rights by changing roles. (Inside a SECURITY
-- DEFINER function current_user is the owner, and a setting of our own could be written by the
-- caller.)
--
--   caller                                                  may act for
--   superuser, member of the owner's role or sluice_admin   every tenant
--   member of some tenants' role                            these tenants only ("bound")
--   member of settings.default_role                         every tenant without a role of its own
--   everybody else                                          nobody (bound to no tenant)
--
-- The default role is 'public', everybody, until the first tenant gets a role. Then it is null,
-- nobody, until an administrator names one. So a user whose binding is lost, because the tenant's
-- row is gone or its role was renamed, has no rights left. Only administrators may act for a tenant
-- whose role does not exist.

-- administers: whether a role administers this database's Sluice. In a schema made without roles
-- only the owner does: the role sluice_admin, if there is one, then belongs to another database.
create or replace function sluice.administers(p_role name) returns boolean
language sql stable
as $$
  select pg_has_role(p_role, n.nspowner, 'member')
    or coalesce(n.nspowner = to_regrole('sluice_owner')
      and pg_has_role(p_role, to_regrole('sluice_admin'), 'member'), false)
  from pg_namespace n where n.nspname = 'sluice'
$$;

-- limited_roles: those of the present caller's roles that administer nothing; none: he is an
-- administrator.
-- Errors:  42501 where PostgreSQL runs an expression of somebody else in an administrator's
--          session: of an index or a materialized view, in autovacuum's as well. It does so with
--          that one's rights, but session_user is still the administrator. The sign of it is that
--          UNLISTEN is refused, which else does nothing here; 1.4 us.
create or replace function sluice.limited_roles() returns name[]
language plpgsql volatile
as $$
declare
  v_limited name[] := array(
    select c from unnest(array[session_user, nullif(current_setting('role'), 'none')::name]) c
    where not sluice.administers(c));
begin
  if v_limited = '{}' then
    begin
      unlisten sluice_nothing;
    exception when insufficient_privilege then
      raise exception 'not in the expressions of indexes and materialized views' using
        errcode = '42501', hint = 'There an administrator''s session runs what another may have '
          'written. To keep what views show, fill a table of your own.';
    end;
  end if;
  return v_limited;
end
$$;

-- has_role: whether p_role is 'public' or a role, and p_caller a member of it.
create or replace function sluice.has_role(p_caller name, p_role name) returns boolean
language sql stable
as $$ select coalesce(p_role = 'public'
  or pg_has_role(p_caller, to_regrole(quote_ident(p_role)), 'member'), false) $$;

-- is_guarded: whether some callers may not act for every tenant.
create or replace function sluice.is_guarded() returns boolean
language plpgsql stable
as $$
begin
  return (select s.default_role is distinct from 'public'
    or exists (select from sluice.tenants where role is not null)
          from sluice.settings s);
end
$$;

-- caller_scope: the tenants for which the present caller may act. It tells a caller only about his
-- own rights.
-- Returns: a list to allow (bound) or to exclude (not bound): allowed = ((tenant = any (tenants)) =
--          bound).
--
-- Called once in each statement, also by the views; their readers may therefore execute it.
create or replace function sluice.caller_scope(out bound boolean, out tenants text[])
language plpgsql stable security definer
set search_path = sluice, pg_temp
as $$
declare
  v_callers name[] := sluice.limited_roles();
begin
  bound := exists (select from sluice.tenants t, unnest(v_callers) c where t.role is not null
    and sluice.has_role(c, t.role))
    or exists (select from sluice.settings s, unnest(v_callers) c
      where not sluice.has_role(c, s.default_role));
  tenants := array(
    select t.name from sluice.tenants t, unnest(v_callers) c
    where t.role is not null
    group by t.name having bool_and(sluice.has_role(c, t.role)) = bound);
end
$$;

-- may_act_for: whether the present caller may act for tenant p_tenant. While everybody may act for
-- every tenant, nothing else is checked: a submit then pays 5 us instead of 30.
create or replace function sluice.may_act_for(p_tenant text) returns boolean
language plpgsql stable
as $$
begin
  return not sluice.is_guarded()
    or (select (p_tenant collate "default" = any (s.tenants)) = s.bound
      from sluice.caller_scope() s);
end
$$;

-- is_administrator: whether the present caller may act for every tenant, in each of his roles.
create or replace function sluice.is_administrator() returns boolean
language plpgsql stable
as $$
begin
  return sluice.limited_roles() = '{}';
end
$$;

-- acts_as_administrator: whether the present caller is an administrator acting for himself, and not
-- the HTTP front acting for a key without the scope admin. The front names the key in the setting
-- sluice.api_key; other callers gain nothing by naming one.
create or replace function sluice.acts_as_administrator() returns boolean
language plpgsql stable security definer
set search_path = sluice, pg_temp
as $$
declare
  v_key text := coalesce(current_setting('sluice.api_key', true), '');
begin
  return sluice.is_administrator()
    and (v_key = '' or exists (select from sluice.api_key k where k.id = v_key
      and 'admin' = any (k.scopes)));
end
$$;

-- caller_key: the id of the key for which the HTTP front says that it acts in this transaction;
-- null: none. Anybody could set it: only an administrator, as whom the front logs in, is believed.
-- It is noted beside the login, and gives no right.
create or replace function sluice.caller_key() returns text
language sql stable
as $$
  select left(k, 16) from nullif(current_setting('sluice.api_key', true), '') k
  where k is not null and sluice.is_administrator()
$$;

-- now_for: the time at which a caller may act. Tests, administrators and tools may choose it. A
-- caller who may only submit may not: by submitting in the past he would overtake everybody.
create or replace function sluice.now_for(p_now timestamptz) returns timestamptz
language plpgsql volatile
as $$
begin
  return case when p_now is not null and sluice.is_administrator() then p_now
    else clock_timestamp() end;
end
$$;

-- require_collation: SL004 if p_text, an argument of the caller's, has a collation that takes
-- different texts for equal. A function compares its arguments, and what it makes of them, under
-- the collation that its caller gave one of them: whoever has a collation of his own could have had
-- 'a' be tenant 'b', or name a route in spellings without end.
create or replace function sluice.require_collation(p_text text) returns void
language plpgsql stable
as $$
declare
  v_name text collate "C" := collation for (p_text);
begin
  if v_name <> '"default"' and exists (select from pg_collation c
      where c.oid = v_name::regcollation and not c.collisdeterministic) then
    raise exception 'collation % takes different texts for equal', left(v_name, 200)
      using errcode = 'SL004', hint = 'Write after the argument: collate "default".';
  end if;
end
$$;

-- require_tenant: SL009 unless the present caller may act for tenant p_tenant.
create or replace function sluice.require_tenant(p_tenant text) returns void
language plpgsql stable
as $$
begin
  if not sluice.may_act_for(p_tenant) then
    raise exception 'not this caller''s tenant: "%"', left(p_tenant, 200) using errcode = 'SL009',
      column = 'tenant', hint = (select case
          when not s.bound then 'Only members of that tenant''s database role may.'
          when s.tenants = '{}'
            then 'It is a member neither of a tenant''s database role nor of settings.default_role.'
          else 'It may act for: ' || array_to_string(s.tenants, ', ') || '.' end
            from sluice.caller_scope() s);
  end if;
end
$$;

-- require_model: SL001 unless there is a model p_model.
create or replace function sluice.require_model(p_model text) returns void
language plpgsql stable
as $$
begin
  perform sluice.require_collation(p_model);
  if not exists (select from sluice.models where name = p_model) then
    raise exception 'there is no model "%"', coalesce(left(p_model, 200), 'null')
      using errcode = 'SL001', column = 'model', hint = sluice.names_text();
  end if;
end
$$;
