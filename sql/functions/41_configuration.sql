-- configuration: what a worker follows: the settings and the models it serves. A function, so that no worker needs a grant
-- on a table; whole rows, so that a new column needs no change here.
-- Params:  models: names (null: all).
-- Returns: one row a model; with none, one row whose model is null.
create or replace function sluice.configuration(models text[] default null)
returns table (settings sluice.settings, model sluice.models)
language plpgsql stable security definer
set search_path = sluice, pg_temp
as $$
#variable_conflict use_column
begin
  -- Workers of schema 44 read max_queue as a number.
  return query select s, case when m.name is not null and m.max_queue is null
      then jsonb_populate_record(m, '{"max_queue": 1000}') else m end
    from sluice.settings s
    left join sluice.models m on configuration.models is null or m.name = any (configuration.models);
end
$$;
