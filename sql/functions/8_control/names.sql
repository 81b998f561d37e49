-- Names of models and routes, which are unique over both, and of which other rows speak.

-- lock_name: lets nobody else give a model or a route this name until this transaction ends.
create or replace function sluice.lock_name(p_name text) returns void
language plpgsql volatile
as $$
begin
  perform pg_advisory_xact_lock(sluice.lock_class('name'), hashtext(p_name));
end
$$;

-- keep_name: keeps a model or route from being renamed or deleted until this transaction ends, for
-- a row that names it: what a rename changes along is what is committed.
-- Params:  p_scope: model or route; null: either.
-- Returns: false: there is none.
create or replace function sluice.keep_name(p_name text, p_scope text default null) returns boolean
language plpgsql volatile
as $$
begin
  perform from sluice.models where name = p_name and p_scope is distinct from 'route'
    for key share;
  if not found then
    perform from sluice.routes where route = p_name and p_scope is distinct from 'model'
      for key share;
  end if;
  return found;
end
$$;

-- follow_name: has what names a model or a route follow its new name.
create or replace function sluice.follow_name(p_old text, p_new text) returns void
language sql volatile
as $$
  update sluice.settings set default_model = p_new where default_model = p_old and p_old <> 'any';
  update sluice.settings set tenant_models = array_replace(tenant_models, p_old, p_new)
  where p_old = any (tenant_models);
  update sluice.tenants set models = array_replace(models, p_old, p_new) where p_old = any (models);
  update sluice.fallbacks set target = p_new where target = p_old;
  update sluice.budgets set subject = p_new where scope in ('model', 'route') and subject = p_old;
$$;
