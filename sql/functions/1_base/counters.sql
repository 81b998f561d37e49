-- Counters in unlogged sequences: they cost a transaction nothing, and a rollback does not undo
-- them. Also their repair, when a promotion or a restore has damaged them.

-- counter: the current value of one of a model's sequences; null after a crash.
-- Params:  p_kind: bucket, tokens, learned, failures, claimed, ended, ended_by_16, critical or
--          load; p_model: model id.
create or replace function sluice.counter(p_kind text, p_model int) returns bigint
language sql volatile
as $$ select pg_sequence_last_value(('sluice.' || p_kind || '_' || p_model)::regclass) $$;

-- set_counter: sets one of a model's sequences. Not undone by a rollback; writes no WAL.
-- Returns: p_value, because a function that returns nothing is not inlined (70 us a call instead of
--          10).
create or replace function sluice.set_counter(p_kind text, p_model int, p_value bigint)
returns bigint
language sql volatile
as $$ select setval(('sluice.' || p_kind || '_' || p_model)::regclass, p_value) $$;

-- Damaged unlogged sequences. PostgreSQL before 15.19, 16.15, 17.11 and 18.6 replays the creation
-- of an unlogged sequence only into memory. A promotion, or the end of a restore, then resets it
-- from a file that is still empty (15.18; only a restartpoint in between writes the file). From
-- then on everything that reads the sequence fails with XX000, "bad magic number in sequence". So
-- does ALTER SEQUENCE, so the sequence can only be dropped and created. The new one has never been
-- set, as after a crash: an empty bucket, a count to be taken, a scan from the start. Nothing is
-- lost that a crash would keep. Unlogged tables are not affected: for them an empty file is valid.

-- are_intact: whether all unlogged sequences are known to be intact. It reads only sluice.intact,
-- an unlogged sequence that is damaged whenever the others are.
create or replace function sluice.are_intact() returns boolean
language plpgsql volatile
as $$
declare
  v_intact boolean;
begin
  select s.is_called into v_intact from sluice.intact s;
  raise exception 'seen';  -- gives the lock back: whoever mends needs it alone
exception when raise_exception then
  return coalesce(v_intact, false);
end
$$;

-- is_damaged: whether a sequence is damaged: it then has no row. Null: its lock was not available.
-- The lock is released at once, because those of 1,000 models' sequences would fill the shared lock
-- table. 30 us.
create or replace function sluice.is_damaged(p_sequence name) returns boolean
language plpgsql volatile
as $$
declare
  v_damaged boolean;
begin
  execute format('select not exists (select from sluice.%I)', p_sequence) into v_damaged;
  raise exception 'seen';
exception
  when raise_exception then
    return v_damaged;
  when undefined_table then  -- its model was deleted just now
    return false;
  when lock_not_available then
    return null;
end
$$;

-- mend_sequences: replaces sequences that a crash or failover damaged by new ones, at most 500 a
-- call. Run it in a transaction of its own, again and again until it returns 0, 0: only a call that
-- finds nothing to do notes that all is intact. Workers, servers, tick and the commands do so by
-- themselves.
-- Returns: mended: how many were replaced; locked: how many were not, because their locks were not
--          available.
-- Errors:  55P03 another call has been at work for longer than 1 s.
--
-- Each takes two places in the shared lock table. Called by workers and servers when they connect
-- and when a statement meets a damaged sequence, and by tick, doctor, migrate and the commands.
-- Workers have the right to call it although they can do little else, so that nobody waits for an
-- administrator. Submitters do not: it locks what it replaces until the commit, and their
-- transactions may be long. After the third that is locked it stops.
-- Locks:   one call at a time, before any lock of a sequence; waits at most 1 s for it and for each
--          sequence.
create or replace function sluice.mend_sequences(out mended int, out locked int)
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set lock_timeout = '1s'
as $$
declare
  v_sequence record;
  v_damaged boolean;
begin
  mended := 0;
  locked := 0;
  if current_setting('transaction_read_only') = 'on' then  -- a standby, or set so
    return;
  end if;
  perform sluice.note_server();
  if sluice.are_intact() then
    return;
  end if;
  perform pg_advisory_xact_lock(sluice.lock_class('mend'), 0);
  for v_sequence in  -- in no order, so that one that is locked does not hide the others for ever
    select c.relname as name, s.seqstart as start, s.seqincrement as step from pg_class c
    join pg_sequence s on s.seqrelid = c.oid
    where c.relnamespace = 'sluice'::regnamespace and c.relpersistence = 'u' order by random()
  loop
    v_damaged := sluice.is_damaged(v_sequence.name);
    if v_damaged and sluice.remake_sequence(v_sequence.name, v_sequence.start, v_sequence.step) then
      mended := mended + 1;
    elsif v_damaged is distinct from false then
      locked := locked + 1;
    end if;
    exit when locked = 3 or mended = 500;
  end loop;
  if mended = 0 and locked = 0 then
    perform setval('sluice.intact', 1);
  end if;
end
$$;

-- remake_sequence: drops a sequence and creates it anew, never set, with its grants and comment.
-- Params:  p_start: its first value; p_step: its increment.
-- False: its lock was not available.
create or replace function sluice.remake_sequence(p_name name, p_start bigint, p_step bigint)
returns boolean
language plpgsql volatile
as $$
declare
  v_old constant oid := format('sluice.%I', p_name)::regclass;
  v_statements constant text := (select string_agg(s, ';') from (
    select format('grant %s on sequence sluice.%I to %s', a.privilege_type, p_name,
      a.grantee::regrole) as s
    from pg_class c, aclexplode(c.relacl) a where c.oid = v_old and a.grantee <> c.relowner
    union all
    select format('comment on sequence sluice.%I is %L', p_name,
      obj_description(v_old, 'pg_class'))) s);
begin
  execute format('drop sequence sluice.%I cascade', p_name);
  execute format('create unlogged sequence sluice.%I increment %s minvalue 0 start %s', p_name,
    p_step, p_start);
  execute v_statements;
  return true;
exception when lock_not_available then
  return false;
end
$$;
