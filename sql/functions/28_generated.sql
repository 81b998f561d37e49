-- Functions that are generated for each line (04_lines.sql), because the name of its queue is part of their text: a session
-- plans them once, where a text given to EXECUTE is planned at every call. Measured, quiet: to take one row 313 -> 60 us; to put one
-- task's row 170,000 -> 120,000 instructions. A session that has taken from a line keeps about 100 kB of plans for it.
-- They have no settings of their own (those of their callers pin the plan; five of them cost 10 us a call), so whoever calls
-- them has the pinned plan SETs, or is called by somebody who has.
-- tenant_key is written out, as it is in the index.

-- make_functions: creates those of line p_line, <l> being its line_name, or replaces them.
create or replace function sluice.make_functions(p_line int) returns void
language plpgsql volatile
as $$
declare
  v_name text := sluice.line_name(p_line);
begin
  execute format(sluice.add_text(p_line), v_name, p_line);
  execute format(sluice.lanes_text(), v_name, p_line);
  execute format(sluice.take_text(), v_name);
  execute format(sluice.alone_text(), v_name);
  execute format(sluice.look_text(), v_name, p_line);
  execute format($sql$
    create or replace function sluice.draw_%1$s(p_ids bigint[]) returns sluice.queue[]
    language plpgsql volatile
    as $body$
    declare
      v_gone sluice.queue[];
    begin
      with pick as materialized (
        select q.ctid as at from sluice.queue_%1$s q where q.task_id = any (p_ids) for update skip locked),
      gone as (delete from sluice.queue_%1$s q using pick where q.ctid = pick.at returning q.*)
      select array_agg(row(g.task_id, g.ready_at, g.deadline, g.model, g.request_bytes, g.fence, g.rank, g.attempts,
        g.tenant)::sluice.queue)
      into v_gone from gone g;
      return v_gone;
    end
    $body$
    $sql$, v_name);
  execute format($sql$
    create or replace function sluice.depth_%1$s(p_max int) returns int
    language plpgsql volatile
    as $body$
    begin
      return (select count(*) from (select from sluice.queue_%1$s limit p_max) q);
    end
    $body$
    $sql$, v_name);
end
$$;

-- add_text: add_<l>: stores one new task and puts it into the line, or aside until its time; takes room for it in the gauges. It locks
-- the model's gauge: a model cannot be deleted under an open submit. A procedure, for EXECUTE does not plan a CALL, and of one argument:
-- each costs 5,000 instructions. Both rows in one statement: 17,000 less than in two.
create or replace function sluice.add_text(p_line int) returns text
language sql immutable
as $$
  select format($sql$
    create or replace procedure sluice.add_%%1$s(p_new sluice.submission)
    language plpgsql
    as $body$
    begin
      %s
      if p_new.max_queue is not null then
        if nextval('sluice.waits_%%1$s') > p_new.max_queue then
          perform sluice.accept('line', '%%2$s', 1, p_new.max_queue, p_new.created_at);
        end if;
      end if;
      if p_new.later then
        insert into sluice.later (task_id, ready_at, deadline, model, request_bytes, fence, rank, attempts, route, tenant)
        values (p_new.id, p_new.run_at, p_new.deadline, p_new.model, p_new.request_bytes, 0, -p_new.priority, 0, p_new.route,
          p_new.tenant);
        %s;
      else
        with waiting as (
          insert into sluice.queue_%%1$s (task_id, ready_at, deadline, model, request_bytes, fence, rank, attempts, tenant)
          values (p_new.id, p_new.created_at, p_new.deadline, p_new.model, p_new.request_bytes, 0, -p_new.priority, 0, p_new.tenant))
        %s;
      end if;
    end
    $body$
    $sql$, case when p_line > 0 then $sql$if nextval('sluice.load_%1$s') > p_new.full_at then
        perform sluice.accept('model', '%2$s', 1, null, p_new.created_at);
      end if;$sql$ else '' end, t.stored, t.stored)
  from (values ($sql$insert into sluice.task (id, created_at, run_at, deadline, batch_id, model, max_output_tokens, priority,
          max_attempts, route, api, tenant, traceparent, metadata, prompt, request)
        values (p_new.id, p_new.created_at, p_new.run_at, p_new.deadline, p_new.batch_id, p_new.model, p_new.max_output_tokens,
          p_new.priority, p_new.max_attempts, p_new.route, p_new.api, p_new.tenant, p_new.traceparent, p_new.metadata, p_new.prompt,
          p_new.request)$sql$)) t(stored)
$$;

-- probe_text: looks up the first row of queue_<l> of which p_where is so.
create or replace function sluice.probe_text(p_where text) returns text
language sql immutable
as $$
  select 'select q.rank, hashtextextended(q.tenant, 0) >> 1, q.ready_at, q.request_bytes'
    || ' into v_found_rank, v_found_tenant, v_ready, v_bytes from sluice.queue_%1$s q where '
    || replace(p_where, 'tenant_key', '(hashtextextended(q.tenant, 0) >> 1)')
    || ' order by q.rank, hashtextextended(q.tenant, 0) >> 1, q.ready_at, q.task_id limit 1;'
$$;

-- lanes_text: lanes_<l>: the first row of each waiting lane, in order, from (p_rank, p_tenant) on up to rank p_last; at most p_max.
-- It probes for the first row from where it is to the next lane with a mark, and goes on with that lane from its mark. Two probes with
-- plain upper bounds: a scan does not stop at the second column of a row comparison, it walks the rest of the rank (14 ms behind 100,000
-- rows). One lane without a mark: three statements; with one, six. An empty lane with a mark: two.
-- Rejected: a recursive query, in half the time for 64 lanes, but without marks. A probe before the marks are looked up: it walks over the
-- dead rows that they are there for. The probes in one statement: to begin its four scans costs more than to run the first one.
create or replace function sluice.lanes_text() returns text
language sql immutable
as $$
  select $sql$
    create or replace function sluice.lanes_%1$s(p_rank smallint, p_tenant bigint, p_last smallint, p_max int, p_now timestamptz)
    returns sluice.head[]
    language plpgsql volatile
    as $body$
    declare
      c_least constant bigint := -4611686018427387904;
      v_rank smallint := p_rank;       -- the scan goes on here
      v_tenant bigint := p_tenant;
      v_from timestamptz := '-infinity';
      v_marked boolean := false;       -- which is a lane with a mark
      v_marks boolean := not pg_is_in_recovery();
      v_mark_rank smallint;            -- the next lane with a mark
      v_mark_tenant bigint;
      v_mark timestamptz;
      v_found_rank smallint;
      v_found_tenant bigint;
      v_ready timestamptz;
      v_bytes int;
      v_heads sluice.head[] := '{}';
      v_left int := p_max;
    begin
      while v_left > 0 and v_rank <= p_last loop
        if v_marks and v_mark is null then
          select m.rank, m.tenant, m.ready_at into v_mark_rank, v_mark_tenant, v_mark from sluice.mark m
          where m.line = %2$s and (m.rank, m.tenant) >= (v_rank, v_tenant + v_marked::int) and m.rank <= p_last
          order by m.rank, m.tenant, m.n desc limit 1;
          v_marks := found;
        end if;
        v_found_rank := null;
        if not v_marks then
          $sql$ || sluice.probe_text('(q.rank, tenant_key, q.ready_at) >= (v_rank, v_tenant, v_from) and q.rank <= p_last') || $sql$
        elsif v_rank < v_mark_rank then
          $sql$ || sluice.probe_text('(q.rank, tenant_key, q.ready_at) >= (v_rank, v_tenant, v_from) and q.rank < v_mark_rank') || $sql$
          if v_found_rank is null then
            v_tenant := c_least;
            v_from := '-infinity';
          end if;
        end if;
        if v_found_rank is null and v_marks then
          $sql$ || sluice.probe_text('q.rank = v_mark_rank and (tenant_key, q.ready_at) >= (v_tenant, v_from)
            and tenant_key < v_mark_tenant') || $sql$
        end if;
        if v_found_rank is not null then
          v_heads := v_heads || row(%2$s, v_found_rank, v_found_tenant, v_ready, v_bytes, null, null)::sluice.head;
          v_left := v_left - 1;
          v_rank := v_found_rank;
          v_tenant := v_found_tenant + 1;
          v_from := '-infinity';
          v_marked := false;
        else
          exit when not v_marks;
          v_rank := v_mark_rank;
          v_tenant := v_mark_tenant;
          v_from := case when v_mark > p_now - interval '250 milliseconds' then '-infinity' else v_mark end;  -- the clock was set back
          v_marked := true;
          v_mark := null;
        end if;
      end loop;
      return v_heads;
    end
    $body$
    $sql$
$$;

-- alone_text: alone_<l>: take_<l> of the only lane that waits, without looking at what lanes and rounds share. A procedure: CALL is not
-- planned (16 us against 27).
-- Returns: lanes: how many wait: 0, 1, or 2: there are more, and nothing was taken; head: it; gone: what it gave.
create or replace function sluice.alone_text() returns text
language sql immutable
as $$
  select $sql$
    create or replace procedure sluice.alone_%1$s(
      p_last smallint, p_max int, p_now timestamptz, inout lanes int, inout head sluice.head, inout gone sluice.queue[])
    language plpgsql
    as $body$
    declare
      v_heads sluice.head[] := sluice.lanes_%1$s(-100::smallint, -4611686018427387904, p_last, 2, p_now);
    begin
      lanes := cardinality(v_heads);
      if lanes = 1 then
        head := v_heads[1];
        gone := sluice.take_%1$s(head.rank, head.tenant, head.ready_at, p_max, p_now);
      end if;
    end
    $body$
    $sql$
$$;

-- take_text: take_<l>: picks and deletes the first p_max rows of one lane that nobody has locked, from p_ready on; those with deadlines
-- first among the first 32 or p_max, as long as any is to come in the line. Null: none.
create or replace function sluice.take_text() returns text
language sql immutable
as $$
  select $sql$
    create or replace function sluice.take_%1$s(p_rank smallint, p_tenant bigint, p_ready timestamptz, p_max int, p_now timestamptz)
    returns sluice.queue[]
    language plpgsql volatile
    as $body$
    declare
      v_at tid[];
      v_gone sluice.queue[];
    begin
      if exists (select from sluice.queue_%1$s q where q.deadline >= p_now) then
        v_at := array(
          select s.at from (
            select q.ctid as at, q.deadline, q.ready_at, q.task_id from sluice.queue_%1$s q
            where q.rank = p_rank and (hashtextextended(q.tenant, 0) >> 1) = p_tenant and q.ready_at >= p_ready
            order by q.rank, hashtextextended(q.tenant, 0) >> 1, q.ready_at, q.task_id
            limit greatest(p_max, 32) for update skip locked) s
          order by s.deadline, s.ready_at, s.task_id limit p_max);
        with gone as (delete from sluice.queue_%1$s q where q.ctid = any (v_at) returning q.*)
        select array_agg(row(g.task_id, g.ready_at, g.deadline, g.model, g.request_bytes, g.fence, g.rank, g.attempts,
          g.tenant)::sluice.queue order by g.deadline, g.ready_at, g.task_id)
        into v_gone from gone g;
        return v_gone;
      elsif p_max = 1 then  -- without what an array of rows takes: 90,000 instructions of a claim's 2,500,000
        delete from sluice.queue_%1$s q where q.ctid = (
          select q.ctid from sluice.queue_%1$s q
          where q.rank = p_rank and (hashtextextended(q.tenant, 0) >> 1) = p_tenant and q.ready_at >= p_ready
          order by q.rank, hashtextextended(q.tenant, 0) >> 1, q.ready_at, q.task_id limit 1 for update skip locked)
        returning array[row(q.task_id, q.ready_at, q.deadline, q.model, q.request_bytes, q.fence, q.rank, q.attempts,
          q.tenant)::sluice.queue]
        into v_gone;
        return v_gone;
      end if;
      with pick as materialized (
        select q.ctid as at from sluice.queue_%1$s q
        where q.rank = p_rank and (hashtextextended(q.tenant, 0) >> 1) = p_tenant and q.ready_at >= p_ready
        order by q.rank, hashtextextended(q.tenant, 0) >> 1, q.ready_at, q.task_id
        limit p_max for update skip locked),
      gone as (delete from sluice.queue_%1$s q using pick where q.ctid = pick.at returning q.*)
      select array_agg(row(g.task_id, g.ready_at, g.deadline, g.model, g.request_bytes, g.fence, g.rank, g.attempts,
        g.tenant)::sluice.queue)
      into v_gone from gone g;
      return v_gone;
    end
    $body$
    $sql$
$$;

-- look_text: look_<l>: the first rows of some lanes, each from p_readies on, at most p_limits. p_lanes: what to call the lanes.
create or replace function sluice.look_text() returns text
language sql immutable
as $$
  select $sql$
    create or replace function sluice.look_%1$s(
      p_lanes int[], p_ranks smallint[], p_tenants bigint[], p_readies timestamptz[], p_limits int[]) returns sluice.turn[]
    language plpgsql volatile
    as $body$
    begin
      return (
        select array_agg(row(q.task_id, %2$s, l.lane, l.rank, l.tenant, q.ready_at, q.deadline, q.request_bytes, q.place,
          null, null, null, null, null)::sluice.turn)
        from unnest(p_lanes, p_ranks, p_tenants, p_readies, p_limits) l(lane, rank, tenant, ready, most)
        cross join lateral (
          select q.task_id, q.ready_at, q.deadline, q.request_bytes, row_number() over (order by q.ready_at, q.task_id) as place
          from sluice.queue_%1$s q
          where q.rank = l.rank and (hashtextextended(q.tenant, 0) >> 1) = l.tenant and q.ready_at >= l.ready
          order by q.ready_at, q.task_id limit l.most) q);
    end
    $body$
    $sql$
$$;

-- drop_functions: drops them.
create or replace function sluice.drop_functions(p_line int) returns void
language plpgsql volatile
as $$
begin
  execute format('drop function if exists sluice.lanes_%1$s(smallint, bigint, smallint, int, timestamptz),
    sluice.take_%1$s(smallint, bigint, timestamptz, int, timestamptz),
    sluice.look_%1$s(int[], smallint[], bigint[], timestamptz[], int[]), sluice.draw_%1$s(bigint[]), sluice.depth_%1$s(int)',
    sluice.line_name(p_line));
  execute format('drop procedure if exists sluice.add_%1$s(sluice.submission),
    sluice.alone_%1$s(smallint, int, timestamptz, int, sluice.head, sluice.queue[])', sluice.line_name(p_line));
end
$$;

-- The lines that are there already, whenever this file is applied anew; 02_models.sql keeps others from coming until it is. Of schema 44
-- routes have none, nor may a model that came while it was upgraded have all of its own.
do $$
declare
  v_line int;
begin
  foreach v_line in array sluice.all_lines() loop
    perform sluice.make_order(v_line), sluice.make_functions(v_line);
  end loop;
  perform sluice.make_route_line(r.route, a.api)
  from (select distinct r.route, m.api from sluice.routes r join sluice.models m on m.name = r.model) r
  cross join lateral (values (null), (r.api)) a(api);
end
$$;
