-- Functions that are generated for each model, n being its id, because the name of its queue is part of their text: a session
-- plans them once, where a text given to EXECUTE is planned at every call. Measured, quiet: to take one row 313 -> 60 us,
-- to see the depth 185 -> 50 us; to put one task's row 170,000 -> 120,000 instructions. A session that has taken from a model keeps
-- about 100 kB of plans for it.
-- They have no settings of their own (those of their callers pin the plan; five of them cost 10 us a call), so whoever calls
-- take_rows or depth has the pinned plan SETs, or is called by somebody who has.

-- make_functions: creates those of model p_model, or replaces them.
--   take_<n>   picks and deletes the first p_max rows that nobody has locked; null: none
--   depth_<n>  counts at most p_max rows
--   urgent_<n> the same of those with a priority above 0
--   put_<n>    takes room for one new task, in the model's gauge and in its queue, puts it into the queue or aside, and rings.
--              It locks the room sequence: a model cannot be deleted under an open submit. A procedure, for EXECUTE does not
--              plan a CALL (10 us of a submit's 165), and of one argument: each costs 5,000 instructions
create or replace function sluice.make_functions(p_model int) returns void
language plpgsql volatile
as $$
begin
  execute format($sql$
    create or replace function sluice.take_%1$s(p_max int) returns sluice.queue[]
    language plpgsql volatile
    as $body$
    declare
      v_gone sluice.queue[];
    begin
      with pick as materialized (
        select q.at
        from sluice.segments('queue_%1$s') s
        cross join lateral (
          select q.ctid as at from sluice.queue_%1$s q
          where (q.rank, q.ready_at) >= (s.lo_rank, s.lo_ready) and q.rank <= s.hi_rank
          order by q.rank, q.ready_at, q.task_id
          limit p_max
          for update skip locked) q
        limit p_max),
      gone as (
        delete from sluice.queue_%1$s q using pick where q.ctid = pick.at returning q.*)
      select array_agg(row(g.task_id, g.ready_at, g.deadline, g.model, g.request_bytes, g.fence, g.rank, g.attempts,
        g.tenant)::sluice.queue)
      into v_gone from gone g;
      return v_gone;
    end
    $body$
    $sql$, p_model);
  execute format($sql$
    create or replace function sluice.depth_%1$s(p_max int) returns int
    language plpgsql volatile
    as $body$
    begin
      return (select count(*) from (
        select from sluice.segments('queue_%1$s') s
        cross join lateral (
          select from sluice.queue_%1$s q
          where (q.rank, q.ready_at) >= (s.lo_rank, s.lo_ready) and q.rank <= s.hi_rank
          limit p_max) r
        limit p_max) r);
    end
    $body$
    $sql$, p_model);
  execute format($sql$
    create or replace function sluice.urgent_%1$s(p_max int) returns int
    language plpgsql volatile
    as $body$
    begin
      return (select count(*) from (
        select from sluice.segments('queue_%1$s') s
        cross join lateral (
          select from sluice.queue_%1$s q
          where (q.rank, q.ready_at) >= (s.lo_rank, s.lo_ready) and q.rank <= least(s.hi_rank, -1)
          limit p_max) r
        limit p_max) r);
    end
    $body$
    $sql$, p_model);
  execute format($sql$
    create or replace procedure sluice.put_%1$s(p_new sluice.arrival)
    language plpgsql
    as $body$
    declare
      v_straight boolean := false;
    begin
      if not p_new.due then
        perform pg_sequence_last_value('sluice.room_%1$s');   -- draws none, but locks it: see put_<n> above
      elsif nextval('sluice.room_%1$s') <= p_new.max_queue then
        v_straight := true;
      elsif p_new.rank < 0 then
        v_straight := sluice.urgent_room(%1$s, p_new.max_queue) > 0;
      end if;
      if nextval('sluice.load_%1$s') - 1 >= sluice.overflow_share() * p_new.max_unfinished then
        v_straight := sluice.accept_for_model(%1$s, p_new.route, p_new.submitted_at) and v_straight;
      end if;
      if v_straight then
        insert into sluice.queue_%1$s (task_id, ready_at, deadline, model, request_bytes, fence, rank, attempts, tenant)
        values (p_new.task_id, p_new.ready_at, p_new.deadline, %1$s, p_new.request_bytes, 0, p_new.rank, 0, p_new.tenant);
        if not p_new.heard then
          perform sluice.ring(%1$s);
        end if;
      else
        perform sluice.put_aside(p_new, %1$s);
      end if;
    end
    $body$
    $sql$, p_model);
end
$$;

-- drop_functions: drops them.
create or replace function sluice.drop_functions(p_model int) returns void
language plpgsql volatile
as $$
begin
  execute format('drop function if exists sluice.take_%1$s(int), sluice.depth_%1$s(int), sluice.urgent_%1$s(int)', p_model);
  execute format('drop procedure if exists sluice.put_%1$s(sluice.arrival)', p_model);
end
$$;

-- The models that are there already, whenever this file is applied anew; 02_models.sql keeps others from coming until it is.
do $$
declare
  v_model int;
begin
  for v_model in select id from sluice.models loop
    -- Of schema 21. Not in a migration: until here the old functions make models, and call it.
    execute format('drop procedure if exists sluice.put_%s(bigint, timestamptz, timestamptz, int, int, text)', v_model);
    perform sluice.make_functions(v_model);
  end loop;
end
$$;
