-- For which tenants a caller may act. The caller is the session's user and, after SET ROLE, that role too: both must be
-- allowed, so that nobody gains by changing roles. (Inside a SECURITY DEFINER function current_user is the owner, and a
-- setting of our own could be written by the caller.)
--   superuser, member of the owner's role or sluice_admin   every tenant
--   member of some tenants' role                            these tenants and no other ("bound")
--   everybody else                                          every tenant that has no role of its own
-- A tenant whose role does not exist is the administrators' alone.

-- administers: whether a role administers this database's Sluice. A schema made without roles is its owner's alone: sluice_admin
-- is then another database's.
create or replace function sluice.administers(p_role name) returns boolean
language sql stable
as $$
  select pg_has_role(p_role, n.nspowner, 'member')
    or coalesce(n.nspowner = to_regrole('sluice_owner') and pg_has_role(p_role, to_regrole('sluice_admin'), 'member'), false)
  from pg_namespace n where n.nspname = 'sluice'
$$;

-- caller_scope: the tenants of the present caller, as a list to allow (bound) or to refuse (not bound):
--   allowed = ((tenant = any (tenants)) = bound)
-- Called once a statement, also by the views, hence executable by their readers; it tells a caller only what is his.
create or replace function sluice.caller_scope(out bound boolean, out tenants text[])
language plpgsql stable security definer
set search_path = sluice, pg_temp
as $$
declare
  v_callers name[] := array(
    select c from unnest(array[session_user, nullif(current_setting('role'), 'none')::name]) c
    where not sluice.administers(c));
begin
  bound := exists (select from sluice.tenants t, unnest(v_callers) c
                   where t.role is not null and pg_has_role(c, to_regrole(quote_ident(t.role)), 'member'));
  tenants := array(
    select t.name from sluice.tenants t, unnest(v_callers) c
    where t.role is not null
    group by t.name having bool_and(coalesce(pg_has_role(c, to_regrole(quote_ident(t.role)), 'member'), false)) = bound);
end
$$;

-- may_act_for: whether the present caller may act for tenant p_tenant. While no tenant has a role nothing is asked: 5 us
-- a submit instead of 30.
create or replace function sluice.may_act_for(p_tenant text) returns boolean
language plpgsql stable
as $$
begin
  return not exists (select from sluice.tenants where role is not null)
    or (select (p_tenant = any (s.tenants)) = s.bound from sluice.caller_scope() s);
end
$$;

-- is_administrator: whether the present caller may act for every tenant, in each of his roles.
create or replace function sluice.is_administrator() returns boolean
language plpgsql stable
as $$
begin
  return not exists (
    select from unnest(array[session_user, nullif(current_setting('role'), 'none')::name]) c
    where not sluice.administers(c));
end
$$;

-- now_for: the time that a caller may act at. Tests, administrators and tools may say it; who only submits may not: by
-- submitting in the past he would overtake everybody.
create or replace function sluice.now_for(p_now timestamptz) returns timestamptz
language plpgsql volatile
as $$
begin
  return case when p_now is not null and sluice.is_administrator() then p_now else clock_timestamp() end;
end
$$;

-- require_tenant: SL009 unless the present caller may act for tenant p_tenant.
create or replace function sluice.require_tenant(p_tenant text) returns void
language plpgsql stable
as $$
begin
  if not sluice.may_act_for(p_tenant) then
    raise exception 'not this caller''s tenant: "%"', p_tenant using errcode = 'SL009', column = 'tenant',
      hint = (select case when s.bound then 'It may act for: ' || array_to_string(s.tenants, ', ') || '.'
              else 'Only members of that tenant''s database role may.' end from sluice.caller_scope() s);
  end if;
end
$$;
