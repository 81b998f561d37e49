-- Prices: what a call costs. The list in force when the call began counts, and stays what it cost
-- whatever becomes of the prices later. All sums are whole nano-units, rounded up for each call.
--
-- models.input_price and output_price say the same of the list in force, in whole units, for those
-- who know only these: a change of them begins a new list, and a list that comes into force is
-- written there.

-- in_units, in_nanos: a sum of nano-units as one of whole units, and back. Multiplied, because a
-- quotient is rounded to some 16 digits.
create or replace function sluice.in_units(p_nanos numeric) returns numeric
language sql immutable parallel safe
as $$ select trim_scale(p_nanos * 0.000000001) $$;

create or replace function sluice.in_nanos(p_units numeric) returns numeric
language sql immutable parallel safe
as $$ select trim_scale(p_units * 1000000000) $$;

-- list_in_force: when the price list of a model that holds at p_at began; null: it has none.
create or replace function sluice.list_in_force(p_model text, p_at timestamptz)
returns timestamptz
language plpgsql stable
as $$
begin
  return (select p.valid_from from sluice.prices p
    where p.model = p_model and p.valid_from <= p_at order by p.valid_from desc limit 1);
end
$$;

-- nanos_of: what a call of p_model that began at p_at costs, in nano-units. Prices that are not
-- known count as 0, as they always have in tasks.cost; budgets refuse such models.
-- Params:  p_input: all its input tokens; p_usage: how many of them were read from the provider's
--          cache, or written to it; null: none.
-- Returns: null: the tokens are not known.
create or replace function sluice.nanos_of(
  p_model text, p_at timestamptz, p_input int, p_output int, p_usage sluice.usage)
returns numeric
language plpgsql stable
as $$
declare
  v sluice.prices;
  v_cached numeric := least(coalesce((p_usage).cached_tokens, 0), coalesce(p_input, 0));
  v_written numeric := least(coalesce((p_usage).cache_write_tokens, 0),
    coalesce(p_input, 0) - v_cached);
begin
  if p_input is null and p_output is null then
    return null;
  end if;
  select p.* into v from sluice.prices p
  where p.model = p_model and p.valid_from <= p_at  -- set_price gives each list a row for all calls
    and (p.above_tokens = 0 or p.above_tokens < p_input)
  order by p.valid_from desc, p.above_tokens desc limit 1;
  return coalesce(greatest(0, ceil((
    (coalesce(p_input, 0) - v_cached - v_written) * coalesce(v.input, 0)
      + v_cached * coalesce(v.cached_input, v.input, 0)
      + v_written * coalesce(v.cache_write, v.input, 0)
      + coalesce(p_output, 0) * coalesce(v.output, 0)) / 1000000)) + v.per_request, 0);
end
$$;

-- cost_of: the same in whole units, as tasks.cost shows it.
create or replace function sluice.cost_of(
  p_model text, p_at timestamptz, p_input int, p_output int, p_usage sluice.usage)
returns numeric
language plpgsql stable
as $$
begin
  return sluice.nanos_of(p_model, p_at, p_input, p_output, p_usage) * 0.000000001;
end
$$;

-- nanos_max: the most that calls of p_model that begin at p_at cost, with at most so many tokens;
-- null: a price is not known. Budgets hold it for each call, estimates reckon with it.
-- Params:  p_calls: how many calls these are the tokens of; p_largest: the input of the largest.
create or replace function sluice.nanos_max(
  p_model text, p_at timestamptz, p_input bigint, p_output bigint, p_calls bigint default 1,
  p_largest bigint default null)
returns numeric
language plpgsql stable
as $$
begin
  return (select n.nanos from sluice.nanos_by(sluice.prices_at(p_model, p_at), p_input, p_output,
    p_calls, coalesce(p_largest, p_input)) n);
end
$$;

-- prices_at: the rows of the price list of p_model that is in force at p_at.
create or replace function sluice.prices_at(p_model text, p_at timestamptz)
returns sluice.prices[]
language plpgsql stable
as $$
begin
  return array(select p from sluice.prices p
    where p.model = p_model and p.valid_from = sluice.list_in_force(p_model, p_at));
end
$$;

-- nanos_by: nanos_max by the rows of a price list, within the statement that asks: for each task of
-- a claim by a function of its own it was a third of the claim.
create or replace function sluice.nanos_by(
  p_prices sluice.prices[], p_input bigint, p_output bigint, p_calls bigint, p_largest bigint)
returns table (nanos numeric)
language sql immutable
as $$
  select case when bool_and(p.input is not null and (p.output is not null or p_output = 0))
    then ceil((p_input * max(greatest(p.input, p.cached_input, p.cache_write))
      + p_output * max(coalesce(p.output, 0))) / 1000000) + p_calls * max(p.per_request)
      -- each call is rounded up, if the price of a token is no whole number
      + case when bool_or(p.input % 1000000 > 0 or p.cached_input % 1000000 > 0
        or p.cache_write % 1000000 > 0 or p.output % 1000000 > 0) then p_calls - 1 else 0 end end
  from unnest(p_prices) p where p.above_tokens <= p_largest
$$;

-- nanos_of_price: a price of models in nano-units, as sluice.prices takes them: whole, and 0 or at
-- least 1,000. Old clients set smaller ones. (sluice.prices refuses what is too large, as NaN.)
create or replace function sluice.nanos_of_price(p_price numeric) returns numeric
language sql immutable parallel safe
as $$
  select case when p_price > 0 then greatest(ceil(sluice.in_nanos(p_price)), 1000)
    else p_price end
$$;

-- begin_list: begins a price list of p_model at p_from with the prices that hold then, unless one
-- begins there.
create or replace function sluice.begin_list(p_model text, p_from timestamptz) returns void
language plpgsql volatile
as $$
begin
  insert into sluice.prices (model, valid_from, above_tokens, input, cached_input, cache_write,
    output, per_request)
  select p.model, p_from, p.above_tokens, p.input, p.cached_input, p.cache_write, p.output,
    p.per_request
  from sluice.prices p
  where p.model = p_model and p.valid_from = sluice.list_in_force(p_model, p_from)
    and p.valid_from < p_from;
  insert into sluice.prices (model, valid_from) values (p_model, p_from) on conflict do nothing;
end
$$;

-- after_model_price: begins a new price list when somebody but show_prices sets input_price or
-- output_price to another value than the list in force has; what he does not change stays.
create or replace function sluice.after_model_price() returns trigger
language plpgsql security definer
set search_path = sluice, pg_temp
as $$
declare
  v_from timestamptz := clock_timestamp();
begin
  if current_setting('sluice.shows_prices', true) = 'on'
    or exists (select from (select max(p.input) as input, max(p.output) as output
      from sluice.prices p where p.model = new.name and p.above_tokens = 0
        and p.valid_from = sluice.list_in_force(new.name, v_from)) p
    where (p.input, p.output) is not distinct from (sluice.nanos_of_price(new.input_price),
      sluice.nanos_of_price(new.output_price))) then
    return null;
  end if;
  perform sluice.begin_list(new.name, v_from);
  update sluice.prices p
  set input = case when tg_op = 'INSERT' or new.input_price is distinct from old.input_price
        then sluice.nanos_of_price(new.input_price) else p.input end,
      output = case when tg_op = 'INSERT' or new.output_price is distinct from old.output_price
        then sluice.nanos_of_price(new.output_price) else p.output end
  where p.model = new.name and p.valid_from = v_from and p.above_tokens = 0;
  return null;
end
$$;

-- show_prices: writes the prices in force into the rows of models, of p_model or of all (null).
-- Skips rows that somebody has locked if it is for all.
create or replace function sluice.show_prices(p_model text, p_now timestamptz) returns void
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  v record;
begin
  for v in
    select m.name, f.is_priced, f.input_price, f.output_price
    from sluice.models m
    cross join lateral (
      select exists (select from sluice.prices p where p.model = m.name) as is_priced,
        sluice.in_units(max(p.input)) as input_price,
        sluice.in_units(max(p.output)) as output_price
      from sluice.prices p where p.model = m.name and p.above_tokens = 0
        and p.valid_from = sluice.list_in_force(m.name, p_now)) f
    where (p_model is null and m.is_priced or m.name = p_model)
      and (m.is_priced, m.input_price, m.output_price)
        is distinct from (f.is_priced, f.input_price, f.output_price)
    order by m.name
  loop
    if p_model is null then
      perform from sluice.models m where m.name = v.name for no key update skip locked;
      continue when not found;
    end if;
    perform set_config('sluice.shows_prices', 'on', true);
    update sluice.models m set is_priced = v.is_priced, input_price = v.input_price,
      output_price = v.output_price where m.name = v.name;
    perform set_config('sluice.shows_prices', '', true);
  end loop;
end
$$;

-- after_prices_change: show_prices for the model of a changed row.
create or replace function sluice.after_prices_change() returns trigger
language plpgsql security definer
set search_path = sluice, pg_temp
as $$
begin
  perform sluice.show_prices(coalesce(new.model, old.model), clock_timestamp());
  if tg_op = 'UPDATE' and new.model <> old.model then
    perform sluice.show_prices(old.model, clock_timestamp());
  end if;
  return null;
end
$$;

create or replace trigger after_prices_change after insert or update or delete on sluice.prices
  for each row execute function sluice.after_prices_change();

-- The prices of before there were lists, once: they have held from the beginning. Then there was no
-- largest one.
do $$
begin
  insert into sluice.prices (model, valid_from, input, output)
  select m.name, 'epoch', least(sluice.nanos_of_price(m.input_price), 1e18),
    least(sluice.nanos_of_price(m.output_price), 1e18) from sluice.models m
  where num_nonnulls(m.input_price, m.output_price) > 0 and not m.is_priced
  on conflict do nothing;
end
$$;

create or replace trigger after_model_with_price after insert on sluice.models
  for each row when (num_nonnulls(new.input_price, new.output_price) > 0)
  execute function sluice.after_model_price();
create or replace trigger after_model_price after update of input_price, output_price
  on sluice.models for each row
  when ((old.input_price, old.output_price) is distinct from (new.input_price, new.output_price))
  execute function sluice.after_model_price();
