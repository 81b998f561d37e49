-- A new session reads the catalog, compiles functions and plans their statements when it first
-- meets them: its first submit_each took 15 ms of CPU, where later ones take 2.5; its first claim
-- 13 and its first completion 5, where later ones take 1 each.

-- warm_up: makes the first submits, claims and completions of this session as fast as later ones.
-- Workers and servers call it in each new session, before they are ready. It submits a task and
-- undoes it.
-- Errors:  55P03 somebody keeps one of the tables locked.
--
-- Only gauges keep a trace, and they are upper bounds anyway. The task's id is negative, so no id
-- is used up; nobody sees the task or is notified of it. The other functions are called with no
-- task, or for a worker that does not exist. The settings are complete's: what it calls is called
-- here, too, and a plan that is kept from here on must lock rows in the same order.
create or replace function sluice.warm_up() returns void
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set lock_timeout = '1s'
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_bitmapscan = off set jit = off set plan_cache_mode = force_generic_plan
as $$
declare
  v_model text := (select m.name from sluice.models m where m.api <> 'openai-embeddings'
    order by m.id limit 1);
begin
  perform sluice.ended('{}'), sluice.requests(0, '{}'), sluice.complete(0, '{}'),
    sluice.end_solved(0, '{}', '{}', '{}', '{}', true, now(), null),
    sluice.end_calls(0, '{}', now(), null);
  -- Refused for its model, '' being nobody's name.
  perform sluice.submit_each(array['{"prompt": "x", "model": ""}'], array['default'], array[null]);
  if v_model is not null then
    perform sluice.warm_up_model(v_model, -1 - floor(random() * 9e15)::bigint, clock_timestamp());
  end if;
end
$$;

-- warm_up_model: submits task p_id to p_model, looks at it as a claim would, and undoes it all.
create or replace function sluice.warm_up_model(p_model text, p_id bigint, p_now timestamptz)
returns void
language plpgsql volatile
as $$
declare
  v_line int := (select m.id from sluice.models m where m.name = p_model);
  v_worker bigint;
begin
  v_worker := sluice.register_worker('warm-up', 1, p_now => p_now);
  perform sluice.submit_drafts(
    sluice.read_drafts(jsonb_build_array(jsonb_build_object('prompt', 'x', 'model', p_model)),
      p_now), array[p_id], null, 1, p_now);
  perform sluice.claim(v_worker, null, 0, p_now),
    sluice.claim_within(v_worker, null, '{}', 0, p_now);
  perform sluice.claim_from(v_line, v_worker, 0, p_now);
  perform sluice.waiting_lanes(v_line, v_line, 1, sluice.rank_max(), 1, p_now, -sluice.rank_max());
  execute format('call sluice.take_%s(null, null, $4, 2, 0, $1, $2, $3)', v_line)
    using v_line, v_worker, p_now, sluice.rank_max();
  raise exception using errcode = 'SL000', message = 'undone';
exception when sqlstate 'SL000' or sqlstate 'SL001' or sqlstate 'SL003' or sqlstate 'SL004'
  or sqlstate 'SL005' or sqlstate 'SL009' then
  null;  -- undone, or refused as any task would be just now
end
$$;
