-- The objects of a model beside its row in sluice.models, n being its id:
--   - its line (2_storage/lines.sql);
--   - unlogged sequences:
--     bucket_<n>, tokens_<n>    the buckets of its requests and tokens (3_limits/permits.sql)
--     learned_<n>               how many tokens its requests and answers have (3_limits/tokens.sql)
--     failures_<n>              failures of its backend in a row (3_limits/breaker.sql)
--     claimed_<n>               how many calls have begun (3_limits/in_flight.sql)
--     ended_<n>, ended_by_16_<n>  how many have ended: the sum of both; a step of the second is 16
--                               calls. Begun less ended are in flight.
--     critical_<n>              from when on submits over HTTP may have its tasks counted again
--                               while it is nearly full (3_limits/gauges.sql)
--     load_<n>                  an upper bound of its unfinished tasks (3_limits/gauges.sql)
-- After a crash an unlogged sequence reads as never set: an empty bucket, counts to be taken anew.

-- model_sequences: the kinds of these sequences, except load.
create or replace function sluice.model_sequences() returns text[]
language sql immutable parallel safe
as $$ select array['bucket', 'tokens', 'learned', 'failures', 'claimed', 'ended', 'ended_by_16',
  'critical'] $$;

-- make_sequence: creates the sequence of a kind for a model, where it is missing. One that counts
-- by 16 has that as its first value, too.
create or replace function sluice.make_sequence(p_kind text, p_model int) returns void
language plpgsql volatile
as $$
begin
  execute format('create unlogged sequence if not exists sluice.%I minvalue 0 ',
    p_kind || '_' || p_model)
    || case when p_kind = 'ended_by_16' then 'increment 16 start 16' else '' end;
end
$$;

-- make_model: creates the line and the sequences of model p_model: full buckets, and no learned
-- tokens.
create or replace function sluice.make_model(p_model int) returns void
language plpgsql volatile
as $$
begin
  perform sluice.make_sequence(k, p_model) from unnest(sluice.model_sequences()) k;
  perform sluice.make_gauge('load_' || p_model), sluice.make_line(p_model);
  perform sluice.set_counter(k, p_model, 0)
  from unnest(array['bucket', 'tokens', 'failures', 'claimed', 'ended', 'ended_by_16',
    'load']) k;
  insert into sluice.breaker (model, state, since) values (p_model, 'closed', clock_timestamp());
end
$$;

-- drop_model: drops what make_model created, if model p_model has no unfinished task. Every submit
-- locks the gauge or the queue, so the locks of both wait for submits under way and stop later
-- ones, and the count below is final. Called at commit, because its locks stop the model's workers
-- and submitters.
-- Errors:  23503 with the number of unfinished tasks; 0A000 in a transaction whose snapshot cannot
--          see new tasks; 55P03 a claim or another session is using it just now.
create or replace function sluice.drop_model(p_model int, p_name text) returns void
language plpgsql volatile
as $$
declare
  v_lines int[] := sluice.lines_of_model(p_model);
  v_homes int[] := array(select -n from sluice.route_line
    where model = p_model and route is not null order by 1);
  v_unfinished bigint;
  v_line int;
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'model "%" cannot be deleted in a % transaction', p_name,
      current_setting('transaction_isolation')
      using errcode = '0A000',
        hint = 'Its snapshot would not show tasks submitted meanwhile. Use read committed.';
  end if;
  -- A claim may hold it: it takes nothing of a model that is going.
  if not pg_try_advisory_xact_lock(sluice.lock_class('model'), p_model) then
    raise lock_not_available;
  end if;
  execute format('drop sequence sluice.%I cascade', 'load_' || p_model);
  foreach v_line in array v_lines || v_homes loop
    execute format('lock table sluice.%I in access exclusive mode',
      sluice.place_of(v_line));
  end loop;
  v_unfinished := sluice.own_unfinished(p_model)
    + (select coalesce(sum(sluice.depth(l)), 0) from unnest(v_homes) l)
    + (select count(*) from sluice.lease l where l.line = any (v_homes) and l.model <> p_model);
  if v_unfinished > 0 then
    raise exception 'model "%" has unfinished tasks: %', p_name, v_unfinished
      using errcode = '23503', hint = 'Pause it and wait for them, or cancel them; then delete it.';
  end if;
  perform sluice.drop_line(l) from unnest(v_lines || v_homes) l;
  delete from sluice.route_line where model = p_model;
  delete from sluice.payload_schema where target = p_name;
  delete from sluice.fallbacks where target = p_name;
  execute (select string_agg(format('drop sequence sluice.%I cascade', k || '_' || p_model), '; ')
    from unnest(sluice.model_sequences()) k);
  delete from sluice.breaker where model = p_model;
  delete from sluice.breaker_event where model = p_model;
  delete from sluice.refusal where model = p_model;
end
$$;

-- An upgrade runs beside the functions of the release before. Until they are replaced they may make
-- a model, without the kinds of sequences that are newer than they are; it gets them here.
do $$
begin
  perform sluice.make_sequence(k, m.id) from sluice.models m
  cross join unnest(array['ended_by_16', 'critical']) k
  where to_regclass('sluice.' || k || '_' || m.id) is null;
end
$$;

-- after_route_is_joined: gives the lines of a route the order that its new model asks for.
create or replace function sluice.after_route_is_joined() returns trigger
language plpgsql security definer
set search_path = sluice, pg_temp
as $$
begin
  perform sluice.make_functions(l) from unnest(sluice.lines_of_route(new.route)) l
  where exists (select from sluice.models m where m.name = new.model
    and m.claim_order = 'prefix');
  return null;
end
$$;
