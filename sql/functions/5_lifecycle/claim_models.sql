-- Which models a claim asks for tasks, in which order, for how many, and how long.

-- tasks_per_model: how many tasks a claim tries to give each model that has no tasks of its own,
-- only routes'. A model costs a claim half a ms, a task a tenth: with three tasks for each of fifty
-- models, 6,000 tasks took half as long again.
create or replace function sluice.tasks_per_model() returns int
language sql immutable parallel safe
as $$ select 8 $$;

-- claim_order: p_ids in the order in which a claim of p_max tasks asks them.
-- Returns: first: how many of them share the slots; the others get what these leave. They are the
--          models with tasks of their own, and so few of the others that each gets some tasks (the
--          meters then share the routes' tasks among models).
create or replace function sluice.claim_order(p_ids int[], p_max int, out ids int[], out first int)
language plpgsql volatile
as $$
begin
  select coalesce(array_agg(d.id order by d.is_first desc, d.place), '{}'),
    count(*) filter (where d.is_first)
  into ids, first
  from (select o.id, o.place,
          o.has_own or row_number() over (partition by o.has_own order by o.place) <=
            (p_max - 1) / sluice.tasks_per_model() + 1 as is_first
        from (select id, place, exists (select from sluice.ready_line r
          where r.line = id) as has_own
              from unnest(p_ids) with ordinality i(id, place)) o) d;
end
$$;

-- caps_of: for each of p_ids the maximum that p_shares gives the model of that name in p_models;
-- null or not named: 1,000.
create or replace function sluice.caps_of(p_ids int[], p_models text[], p_shares int[])
returns int[]
language plpgsql volatile
as $$
declare
  v_shares jsonb;  -- found by search: by position 1,000 took 7 ms
begin
  if p_shares is null or cardinality(p_models) = 1 then
    return array_fill(coalesce(p_shares[1], 1000), array[cardinality(p_ids)]);
  end if;
  v_shares := (select jsonb_object_agg(n.name, n.share)
    from unnest(p_models, p_shares) n(name, share) where n.name is not null);
  return array(
    select coalesce((v_shares ->> m.name)::int, 1000)
    from unnest(p_ids) with ordinality o(id, place) join sluice.models m on m.id = o.id
    order by o.place);
end
$$;

-- claim_long: how long a claim that has found tasks goes on before it leaves the remaining models
-- to the next claim. A model of 30 routes with tasks of 200 priorities takes 20 ms: with 20 such
-- models a claim took 0.4 to 2 s, and all others waited for it.
-- Params:  p_found: how long it took to find its models (150 models of a route: 30 ms), so that
--          claims do not spend most of their time on that.
create or replace function sluice.claim_long(p_found interval) returns interval
language sql immutable parallel safe
as $$ select greatest(interval '20 milliseconds', 3 * p_found) $$;

-- models_look_max: how many models of each route a claim considers, of those without work in their
-- own line; they are drawn from those that can call.
create or replace function sluice.models_look_max() returns int
language sql immutable parallel safe
as $$ select 32 $$;

-- model_before: the model behind whose id a claim begins: the last one whose turn it was in this
-- session, mostly; by chance for a tenth of the claims, for sessions may be shared or be new.
create or replace function sluice.model_before(p_ids int[]) returns int
language plpgsql volatile
as $$
declare
  v_noted text := current_setting('sluice.model_before', true);
begin
  return case when v_noted ~ '^[0-9]{1,9}$' and random() < 0.9 then v_noted::int
    else p_ids[1 + floor(random() * cardinality(p_ids))::int] end;
end
$$;

-- over_models: the models whose tasks claims of this session have lately taken out of their lines
-- because they were over a budget, or the present transaction has. Others come before them: that
-- work takes 6 ms a visit, and with 200 such models a claim took a second, for everybody.
create or replace function sluice.over_models(p_in_transaction boolean) returns int[]
language plpgsql volatile
as $$
declare
  v_noted text := current_setting(case when p_in_transaction then 'sluice.over_models_now'
    else 'sluice.over_models' end, true);
begin
  return case when v_noted ~ '^[{][0-9]{1,9}(,[0-9]{1,9})*[}]$' then v_noted::int[] else '{}' end;
end
$$;

-- note_over: p_model is one of them, of which there are 900 at most.
create or replace function sluice.note_over(p_model int) returns void
language plpgsql volatile
as $$
begin
  perform set_config('sluice.over_models',
    (p_model || (array_remove(sluice.over_models(false), p_model))[:899])::text, false),
    set_config('sluice.over_models_now',
      (p_model || array_remove(sluice.over_models(true), p_model))::text, true);
end
$$;

-- open_models: the ids of the models that may have work and from which a worker may claim now.
-- Each has its turn, beginning behind model_before: in an order by chance one of 900 waited for
-- seconds while each claim came to 20 of them. Models with many routes mostly come last, because a
-- claim looks at each of their lines; so do those of a route's later tiers, because the earlier
-- ones are to use up their permits. In 15 claims of 16 all over_models come after the others, in
-- one before them: when both kinds took turns, one of 400 others waited for 17 s. Mostly there is
-- one model, and one statement is enough: another would cost the first call after a pause 50 us,
-- with nothing in a cache.
-- Errors:  SL010.
create or replace function sluice.open_models(p_worker bigint, p_models text[], p_now timestamptz)
returns int[]
language plpgsql volatile
as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
  v record;
  v_before int;
  v_over int[];
  v_over_first boolean := random() < 1.0 / 16;
begin
  select w.feeds, w.is_calm, array(
    select m.id from sluice.models m
    where (w.feeds or m.id in (select r.line from sluice.ready_line r))
      and (w.models is null or m.name = any (w.models)) and (w.apis is null or m.api = any (w.apis))
      and (p_models is null or m.name = any (p_models)) and not m.paused
        and coalesce(m.closed_until <= v_now, true)) as ids
  into v
  from (
    select w.models, w.apis, exists (select from sluice.ready_line r where r.line < 0) as feeds,
      not exists (select from sluice.breaker b where b.state <> 'closed') as is_calm
    from sluice.worker w where w.id = p_worker and w.dead_at is null offset 0) w;
  if not found then
    raise exception 'worker % is not registered, or was declared dead', p_worker
      using errcode = 'SL010',
      hint = 'Register again with sluice.register_worker; '
             'what it held has gone back to the queues.';
  end if;
  if v.feeds then
    v.ids := sluice.models_with_work(v.ids, sluice.models_look_max(), v_now);
  end if;
  if v.is_calm and cardinality(v.ids) <= 1 then
    return v.ids;
  end if;
  -- Where over_models come first, the one to begin with is drawn. The last model asked is mostly
  -- none of them, so to begin behind that would begin with the same few of them each time.
  v_before := case when v_over_first then v.ids[1 + floor(random() * cardinality(v.ids))::int]
    else sluice.model_before(v.ids) end;
  v_over := sluice.over_models(false);
  return array(  -- what is cheap was asked first: is_open is 6 us a model
    select m.id from sluice.models m where m.id = any (v.ids)
      and (v.is_calm or sluice.is_open(m, v_now))
    order by (m.id = any (v_over)) = v_over_first desc,
      row_number() over (order by m.id <= v_before, m.id) * (
      -- mostly behind: one that always was would never be first
      select case when random() * w.places < 1 then 1 else w.places end from (
        select least(10, 1 + count(*)) * 64 ^ least(coalesce(max(r.tier), 1) - 1, 9) as places
        from sluice.routes r where v.feeds and r.model = m.name offset 0) w));
end
$$;
