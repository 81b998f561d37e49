-- Prices for people and programs: in whole units of a currency, beside sluice.prices, which has
-- nano-units.

-- price_rows: the prices of a model, now, before and to come, in whole units: of a million tokens,
-- and per_request of a call.
-- Params:  model: its name; null: of all models.
-- Returns: rows in the order of models and times.
create or replace function sluice.price_rows(model text default null)
returns setof sluice.price_row
language plpgsql stable security definer
set search_path = sluice, pg_temp
as $$
begin
  return query
  select p.model, p.valid_from, p.above_tokens, sluice.in_units(p.input),
    sluice.in_units(p.cached_input), sluice.in_units(p.cache_write),
    sluice.in_units(p.output), sluice.in_units(p.per_request),
    p.valid_from is not distinct from sluice.list_in_force(p.model, clock_timestamp())
  from sluice.prices p where price_rows.model is null or p.model = price_rows.model
  order by p.model, p.valid_from, p.above_tokens;
end
$$;

-- set_price: sets what a model costs from some time on. Prices before then, and what calls have
-- cost, stay as they are.
-- Params:  model: its name; price: an object in whole units of your currency: input, cached_input,
--          cache_write and output of a million tokens, per_request of a call; valid_from (now);
--          above_tokens: of calls with more input tokens than this (0: of all); the other prices of
--          the model stay.
-- Returns: the row, as price_rows has it.
-- Errors:  SL001 no such model; SL004 no object, unknown keys, values of another type; 23514 a
--          price below 0, or with more than nine decimals.
create or replace function sluice.set_price(model text, price jsonb) returns jsonb
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  v sluice.pricing := sluice.read_record(null::sluice.pricing, set_price.price);
  v_from timestamptz := coalesce(v.valid_from, clock_timestamp());
begin
  perform sluice.require_model(set_price.model);
  perform sluice.begin_list(set_price.model, v_from);
  insert into sluice.prices as p (model, valid_from, above_tokens, input, cached_input, cache_write,
    output, per_request)
  values (set_price.model, v_from, coalesce(v.above_tokens, 0),
    sluice.in_nanos(v.input), sluice.in_nanos(v.cached_input),
    sluice.in_nanos(v.cache_write), sluice.in_nanos(v.output),
    sluice.in_nanos(coalesce(v.per_request, 0)))
  on conflict on constraint prices_pkey do update set input = excluded.input,
    cached_input = excluded.cached_input, cache_write = excluded.cache_write,
    output = excluded.output, per_request = excluded.per_request;
  perform sluice.note_audit('set_price', set_price.model, set_price.price);
  return (select to_jsonb(r) from sluice.price_rows(set_price.model) r
    where r.valid_from = v_from and r.above_tokens = coalesce(v.above_tokens, 0));
end
$$;

-- drop_price: removes a price list of a model, so that the one before it holds on.
-- Params:  model: its name; valid_from: when the list begins.
-- Returns: how many rows it had.
create or replace function sluice.drop_price(model text, valid_from timestamptz) returns int
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  v_rows int;
begin
  delete from sluice.prices p
  where p.model = drop_price.model and p.valid_from = drop_price.valid_from;
  get diagnostics v_rows = row_count;
  perform sluice.note_audit('drop_price', drop_price.model,
    jsonb_build_object('valid_from', drop_price.valid_from)) where v_rows > 0;
  return v_rows;
end
$$;
