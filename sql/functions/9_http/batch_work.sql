-- The steps of batches: every server calls advance_batches() again and again. A step is one
-- transaction over a bounded part of one batch, and leaves everything that the next one needs in
-- the tables: whichever server makes it, and whenever a server dies, every line is submitted once
-- and is in one output file once.
--
--   validate -> submit -> run -> write -> done
-- A batch whose file is bad goes from validate to done (fail_batch). One that is cancelled, or
-- expires, before write goes to stop once all its lines are read, which cancels its tasks, and then
-- to write.

-- advance_batches: one step of the batch whose turn it is, in a transaction of its own. An advisory
-- lock keeps others from the batch; a row lock would make a cancel wait for a step.
-- Returns: in how many ms the next step may be due, at most 1,000; 0: there is more to do.
--          settings.idle_look while all batches are done: the server that gets a new one looks at
--          once, the others only if that one dies.
create or replace function sluice.advance_batches(p_now timestamptz default null) returns int
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set enable_material = off
set plan_cache_mode = force_generic_plan
-- a client's open transaction holds up one batch for a while, not all of them
set lock_timeout = '1s'
-- a part is up to 17 MiB: each of some ten copies of it went through a file
set work_mem = '64MB'
as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
  v_ids bigint[] := array(select sluice.batch_turns(v_now));
  v_id bigint;
  v_batch sluice.batch;
  v_begun timestamptz;
begin
  -- While batches are due, too, for they may be so without end: before every tenth step.
  if v_ids = '{}' or random() < 0.1 then
    begin
      if sluice.drop_old_files(v_now) or sluice.drop_old_batches(v_now) then
        return 0;
      end if;
    exception when others then  -- what cannot be cleared away holds no batch up
      raise warning 'old files or batches stay: SQLSTATE %', sqlstate;
    end;
  end if;
  foreach v_id in array v_ids loop
    v_begun := clock_timestamp();
    continue when not pg_try_advisory_xact_lock(sluice.lock_class('batch'),
      (v_id % 2147483647)::int);  -- somebody is at it
    select b.* into v_batch from sluice.batch b where b.id = v_id and b.phase <> 'done'
      and b.look_at <= v_now;
    continue when not found;  -- somebody has just made it
    perform sluice.advance_batch(v_batch, v_now);
    -- Last: another server's step for this tenant waits here for no more than the commit.
    perform sluice.charge_turn(coalesce(v_batch.tenant, 'default'),
      sluice.micros(clock_timestamp()) - sluice.micros(v_begun), v_now);
    return 0;
  end loop;
  -- At the end, for a step of theirs waits for it.
  delete from sluice.batch_turn t where t.tenant in (
    select o.tenant from sluice.batch_turn o where o.stepped_at < v_now - interval '1 hour'
    for update skip locked);
  return (select case when count(*) = 0
              then (select extract(epoch from least(s.idle_look, interval '20 days')) * 1000
                from sluice.settings s)
            else least(1000, ceil(1000 * extract(epoch from
              min(b.look_at) filter (where b.look_at >= v_now) - v_now))) end::int
          from sluice.batch b where b.phase <> 'done');
end
$$;

-- drop_old_batches: deletes a page of batches that ended 30 days ago, whose files have been deleted
-- already.
-- Returns: whether there were any.
create or replace function sluice.drop_old_batches(p_now timestamptz) returns boolean
language plpgsql volatile
as $$
begin
  delete from sluice.batch b where b.id in (
    select o.id from sluice.batch o where o.phase = 'done'
      and o.ended_at <= p_now - interval '30 days'
    order by o.ended_at limit sluice.batch_page_lines() for update skip locked);
  return found;
end
$$;

-- advance_batch: the next step of this batch, which the caller has locked. A step that fails is
-- repeated after ten seconds, so that it does not delay others.
create or replace function sluice.advance_batch(p_batch sluice.batch, p_now timestamptz)
returns void
language plpgsql volatile
as $$
begin
  if p_batch.ending is null and p_now >= p_batch.expires_at
    and p_batch.phase in ('validate', 'submit', 'run') then
    update sluice.batch set ending = coalesce(ending, 'expired') where id = p_batch.id
    returning * into p_batch;
  end if;
  -- not while lines are read: each custom_id is to be in a file
  if p_batch.ending is not null and p_batch.phase in ('submit', 'run') then
    update sluice.batch set phase = 'stop', position = 0 where id = p_batch.id
    returning * into p_batch;
  end if;
  case p_batch.phase
    when 'validate' then perform sluice.validate_batch(p_batch, p_now);
    when 'submit' then perform sluice.submit_batch(p_batch, p_now);
    when 'run' then perform sluice.await_batch(p_batch, p_now);
    when 'stop' then perform sluice.stop_batch(p_batch, p_now);
    when 'write' then perform sluice.write_batch(p_batch, p_now);
  end case;
exception when others then
  raise warning 'a step of batch % failed in phase %: SQLSTATE %', p_batch.id,
    p_batch.phase, sqlstate;
  update sluice.batch set look_at = p_now + interval '10 s' where id = p_batch.id;
end
$$;

-- await_batch: counts the lines that have ended; after the last one the results can be written.
create or replace function sluice.await_batch(p_batch sluice.batch, p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_begun timestamptz := clock_timestamp();
begin
  p_batch := sluice.count_batch(p_batch);
  if p_batch.completed + p_batch.failed >= p_batch.total then
    update sluice.batch set phase = 'write', position = 0, finalizing_at = p_now, look_at = p_now
    where id = p_batch.id;
  else
    update sluice.batch set look_at = sluice.next_look(p_batch, '500 ms', v_begun, p_now)
    where id = p_batch.id;
  end if;
end
$$;

-- count_batch: counts the lines that have ended. Lines cut off by the end of the batch count as
-- neither completed nor failed.
-- Returns: the batch afterwards.
create or replace function sluice.count_batch(p_batch sluice.batch) returns sluice.batch
language plpgsql volatile
as $$
begin
  update sluice.batch set (completed, failed) = (
    select count(*) filter (where r.status = 'solved'),
      count(*) filter (where l.error_code is not null or r.status = 'failed'
        or (r.status <> 'solved' and p_batch.ending is null))
    from sluice.batch_line l left join sluice.result r on r.task_id = l.task_id
    where l.batch = p_batch.id)
  where id = p_batch.id returning * into p_batch;
  return p_batch;
end
$$;

-- stop_batch: cancels the tasks of a page of lines, and begins again after the last page while some
-- call is still to be aborted. Waiting tasks, mostly all, are ended by one statement; task by task
-- 50,000 took 40 s, and other batches waited.
create or replace function sluice.stop_batch(p_batch sluice.batch, p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_ids bigint[];
  v_left int;
  v_last int;
begin
  select array_agg(u.task_id), count(*), max(u.line) into v_ids, v_left, v_last
  from (select l.line, l.task_id
        from sluice.batch_line l
        where l.batch = p_batch.id and l.line > p_batch.position
          and exists (select from sluice.task t where t.id = l.task_id offset 0)
          and not exists (select from sluice.result r where r.task_id = l.task_id offset 0)
        order by l.line limit sluice.batch_page_lines()) u;
  perform sluice.end_waiting(p.place, p.ids, 'cancelled', p_now)
  from (select sluice.place_of(l) as place, array_agg(t.id) as ids
        from sluice.task t cross join unnest(sluice.lines_of_task(sluice.facts_of(t))) l
        where t.id = any (v_ids) group by 1
        union all select 'later', v_ids) p
  where p.place is not null and to_regclass('sluice.' || p.place) is not null;
  perform sluice.cancel_in_place('lease', array(select i from unnest(v_ids) i
    where not exists (select from sluice.result r where r.task_id = i)), p_now);
  if v_left = 0 and p_batch.position = 0 then
    -- A whole round found nobody: what was never submitted, or has been forgotten, is the writer's
    -- business.
    p_batch := sluice.count_batch(p_batch);
    update sluice.batch set phase = 'write', look_at = p_now where id = p_batch.id;
  elsif v_left < sluice.batch_page_lines() then
    update sluice.batch set position = 0, look_at = p_now + interval '250 ms' where id = p_batch.id;
  else
    update sluice.batch set position = v_last, look_at = p_now where id = p_batch.id;
  end if;
end
$$;
