-- The order of models with claim_order = 'prefix': tasks that begin alike are called one after the
-- other, because a model that has just read a beginning need not read it again (prefix caches).
-- Claims do not know of it. Such a task is put into its line as if it were ready at its prefix's
-- turn: a moment within settings.prefix_wait from now that all tasks of the prefix share. So a
-- prefix has one turn in each prefix_wait, and all its tasks that have come since the last one are
-- next to each other in the line. What follows:
-- - A task is passed by tasks only that become ready less than prefix_wait after it, so it begins
--   no later than a task that comes prefix_wait after it does in the order of arrival.
-- - The turn orders, it does not delay: a claim takes the first tasks of a lane, whether their turn
--   has come or not.
-- - The order is within a lane: priorities, tenants' shares, quotas and deadlines are as ever.
-- - A claim costs what it costs in other lines; a submit to such a line has one expression more.
-- A route's line has this order if one of its models has it (D-369).

-- prefix_chars: how much of a payload's beginning its prefix is, if the task has no affinity key:
-- 64 tokens. Beginnings that are alike for less are not worth an order; longer ones differ here
-- already, or share at least this.
create or replace function sluice.prefix_chars() returns int
language sql immutable parallel safe
as $$ select 256 $$;

-- prefix_of: what tasks that are to be called one after the other have in common: their affinity
-- key, else the first characters of their prompt or of their request's messages. The fields before
-- the messages (the model, the temperature) say nothing of what the model reads.
create or replace function sluice.prefix_of(p_affinity_key text, p_prompt text, p_request text)
returns text
language plpgsql immutable parallel safe
as $$
declare
  -- So far into a request it is looked for its messages. Tools may stand before them, but wake
  -- looks into two thousand tasks that fall due together, while all others wait: 65,536 characters
  -- took a millisecond each, these 0.06.
  c_look_chars constant int := 4096;
  v_begin text;
begin
  if num_nonnulls(p_affinity_key, p_prompt) > 0 then
    return coalesce(p_affinity_key, substr(p_prompt, 1, sluice.prefix_chars()));
  end if;
  v_begin := substr(p_request, 1, c_look_chars);  -- reads no more of it
  return substr(v_begin, coalesce(least(nullif(strpos(v_begin, '"messages"'), 0),
    nullif(strpos(v_begin, '"system"'), 0), nullif(strpos(v_begin, '"instructions"'), 0),
    nullif(strpos(v_begin, '"input"'), 0)), 1), sluice.prefix_chars());
end
$$;

-- prefix_time: the next turn of a prefix: p_at, or up to p_wait after it.
-- Params:  p_wait: settings.prefix_wait.
create or replace function sluice.prefix_time(p_prefix text, p_at timestamptz, p_wait interval)
returns timestamptz
language sql immutable parallel safe
as $$
  select p_at + mod(mod(hashtextextended(p_prefix, 0) & 9007199254740991, w.micros)
      - mod(sluice.micros(p_at), w.micros) + w.micros, w.micros) * interval '1 microsecond'
  from (select (date_part('epoch', p_wait) * 1000000)::bigint as micros) w
$$;

-- is_by_prefix: whether a line has this order.
create or replace function sluice.is_by_prefix(p_line int) returns boolean
language plpgsql stable
as $$
begin
  return exists (select from sluice.models m
    where m.id = any (sluice.models_of_line(p_line)) and m.claim_order = 'prefix');
end
$$;
