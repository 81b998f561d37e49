-- Fallbacks as administrators write and read them; 5_lifecycle/fallbacks.sql follows them.

-- before_fallback_changes: a target is a model or a route. (What becomes of them the fallbacks
-- follow: triggers in models.sql.)
create or replace function sluice.before_fallback_changes() returns trigger
language plpgsql security definer
set search_path = sluice, pg_temp
as $$
begin
  if (tg_op = 'INSERT' or new.target <> old.target) and not sluice.keep_name(new.target) then
    perform sluice.refuse_unknown(new.target, 'target');
  end if;
  return new;
end
$$;
create or replace trigger before_fallback_changes before insert or update on sluice.fallbacks
  for each row execute function sluice.before_fallback_changes();

-- configure_fallbacks: gives a model or route these fallbacks and no other.
-- Params:  target: its name; models: {"cause": "model"}; empty: none.
-- Errors:  SL001 no such target, or model; SL004 no object, or a value that is no name; 23514 no
--          such cause. COLUMN is the cause at fault.
create or replace function sluice.configure_fallbacks(target text, models jsonb) returns void
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
#variable_conflict use_column
declare
  v_wrong record;
begin
  if jsonb_typeof(configure_fallbacks.models) is distinct from 'object' then
    raise exception 'models is a JSON %, not an object', jsonb_typeof(configure_fallbacks.models)
      using errcode = 'SL004',
      hint = 'It is a set of causes and models, such as {"context_too_long": "gpt-long"}.';
  end if;
  select m.key, left(m.value::text, 100) as value, jsonb_typeof(m.value) = 'string' as is_text
  into v_wrong
  from jsonb_each(configure_fallbacks.models) m
  where not exists (select from sluice.models n where to_jsonb(n.name) = m.value)
  order by m.key limit 1;
  if not v_wrong.is_text then
    raise exception 'the model for "%" is %', left(v_wrong.key, 200), v_wrong.value
      using errcode = 'SL004', column = left(v_wrong.key, 200), hint = 'It is a name.';
  elsif v_wrong.is_text then
    raise exception 'there is no model %', v_wrong.value using errcode = 'SL001',
      column = left(v_wrong.key, 200), hint = sluice.names_text();
  end if;
  delete from sluice.fallbacks f where f.target = configure_fallbacks.target
    and not configure_fallbacks.models ? f.cause;
  insert into sluice.fallbacks as f (target, cause, to_model)
  select configure_fallbacks.target, m.key, m.value
  from jsonb_each_text(configure_fallbacks.models) m
  on conflict (target, cause) do update set to_model = excluded.to_model
    where f.to_model <> excluded.to_model;
  perform sluice.note_audit('configure_fallbacks', configure_fallbacks.target,
    configure_fallbacks.models);
end
$$;
