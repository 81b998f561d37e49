-- Functions generated for each line (2_storage/lines.sql). The name of the line's queue is part of
-- their text, so a session plans them once, whereas a text given to EXECUTE is planned at every
-- call (D-017). A session that has taken from a line keeps about 100 kB of plans for it. The
-- functions have no settings of their own; their callers pin the plan. tenant_key is written out,
-- as in the index.

-- make_functions: creates or replaces the functions of line p_line, <l> being its line_name.
create or replace function sluice.make_functions(p_line int) returns void
language plpgsql volatile
as $$
declare
  v_name text := sluice.line_name(p_line);
  v_version text := (select l.version from sluice.route_line l where l.n = -p_line);
  v_by_prefix boolean := sluice.is_by_prefix(p_line);
begin
  if v_by_prefix or to_regproc('sluice.prefix_time_' || v_name) is not null then
    execute format(sluice.prefix_time_text(v_by_prefix), v_name);
  end if;
  execute format(sluice.add_text(p_line, v_version, v_by_prefix), v_name, p_line);
  execute format(sluice.add_plain_text(v_by_prefix), v_name);
  execute format(sluice.lanes_text(), v_name, p_line);
  execute format(sluice.take_text(v_by_prefix), v_name, p_line);
  execute format(sluice.draw_text(v_by_prefix), v_name, p_line);
  execute format(sluice.peek_text(), v_name, p_line);
end
$$;

-- lease_text: the statement that moves rows into leases in the order of p_pick, and late rows into
-- v_late.
-- Params:  p_pick: a query of the rows' ctid as at, the tokens to reserve, and n: their order,
--          unless 0; p_by_prefix: the line's order is by prefix, so that rows may be ready, by
--          their order, after they are taken.
create or replace function sluice.lease_text(p_pick text, p_by_prefix boolean default false)
returns text
language sql immutable
as $$
  select 'with pick as materialized (' || p_pick || '),
      gone as (delete from sluice.queue_%1$s q using pick p where q.ctid = p.at
        returning q.*, p.tokens),
      live as (
        insert into sluice.lease (task_id, worker, ready_at, started_at, deadline, reserved_tokens,
          model, request_bytes, fence, rank, attempts, tenant, line)
        select g.task_id, p_worker, '
    || case when p_by_prefix then 'least(g.ready_at, p_now)' else 'g.ready_at' end
    || ', p_now, g.deadline, coalesce(g.tokens, 0), p_model,
          g.request_bytes, g.fence + 1, g.rank, g.attempts, g.tenant, %2$s
        from gone g where coalesce(g.deadline > p_now, true) returning lease)
      select array_agg(l.lease), (
        select array_agg(row(g.task_id, g.ready_at, g.deadline, g.model, g.request_bytes, g.fence,
          g.rank, g.attempts, g.tenant)::sluice.queue) from gone g where g.deadline <= p_now)
      into leases, v_late from live l;'
$$;

-- take_text: the text of take_<l>, which moves up to p_max rows of one lane into leases of p_worker
-- for p_model. Of which lane?
--   heads is given, with one lane                             of that one
--   heads is null, and one lane waits                         of that one
--   heads is null, p_max is 1, 2 to p_look - 1 lanes wait     of the lane whose turn it is
--   otherwise                                                 of none: it takes nothing
-- It begins at the lane's first row. While deadlines wait in the line, it looks at the
-- lane's first 32 rows, or p_max if that is more, and takes those with the earliest deadlines. Late
-- rows end as expired. Up to locked_max locked rows are skipped. It is a procedure because CALL is
-- not planned (16 us instead of 27); but it is parsed each time (30 us), so a claim of one task
-- calls only one.
-- Params:  p_last: the worst rank to take; p_look: how many lanes to look at. Requires the locks of
--          line and model.
-- Returns: heads: the lanes that wait; leases; null: there are more lanes, or all rows of the only
--          one were locked.
-- twin: tenant_key (change all alike)
create or replace function sluice.take_text(p_by_prefix boolean default false) returns text
language sql immutable
as $$
  select format($sql$
    create or replace procedure sluice.take_%%1$s(
      inout heads sluice.head[], inout leases sluice.lease[],
      p_last smallint, p_look int, p_max int, p_model int, p_worker bigint, p_now timestamptz)
    language plpgsql
    as $body$
    declare
      v_head sluice.head;
      v_turn sluice.turn;
      v_at tid[];
      v_row sluice.queue_%%1$s;
      v_lease sluice.lease;
      v_late sluice.queue[];
    begin
      if heads is null then
        heads := sluice.lanes_%%1$s(%4$s::smallint, -4611686018427387904, p_last, p_look, p_now);
      end if;
      if cardinality(heads) = 1 then
        v_head := heads[1];
      elsif p_max = 1 and cardinality(heads) between 2 and p_look - 1 then
        heads := sluice.weighed(heads, p_now);
        v_turn := sluice.first_head(p_model, heads, '{}', p_now);
        v_head := heads[v_turn.lane];
      else
        return;
      end if;
      if %6$s then
        v_at := array(
          select s.at from (
            select q.ctid as at, q.deadline, q.ready_at, q.task_id from (%3$s) f
            join sluice.queue_%%1$s q on q.ctid = f.at
            limit greatest(p_max, 32) for update of q skip locked) s
          order by s.deadline, s.ready_at, s.task_id limit p_max);
        %1$s
      elsif p_max = 1 then  -- in two plain statements: 60,000 instructions of a claim's 1,500,000
        delete from sluice.queue_%%1$s q where q.ctid = (
          select q.ctid from (%3$s) f join sluice.queue_%%1$s q on q.ctid = f.at limit 1
            for update of q skip locked)
        returning q.* into v_row;
        if v_row.deadline <= p_now then
          v_late := array[v_row::sluice.queue];
        elsif v_row.task_id is not null then
          insert into sluice.lease (task_id, worker, ready_at, started_at, deadline, model,
            request_bytes, fence, rank, attempts, tenant, line)
          values (v_row.task_id, p_worker, %5$s, p_now, v_row.deadline, p_model,
            v_row.request_bytes, v_row.fence + 1, v_row.rank, v_row.attempts, v_row.tenant, %%2$s)
          returning * into v_lease;
          leases := array[v_lease];
        end if;
      else
        %2$s
      end if;
      if v_turn.lane is not null then
        perform sluice.note_clock(p_model, v_turn, v_head, coalesce(leases[1].request_bytes,
          v_head.request_bytes));
        leases := coalesce(leases, '{}');
      end if;
      if leases is null and v_late is null or leases = '{}' then
        perform sluice.pass_locked(v_head, f.last, p_now)
        from (select max(f.ready_at) as last from (%3$s) f
          having count(*) = p_max + sluice.locked_max()) f;
      end if;
      if random() < (coalesce(cardinality(leases), 0)
        + coalesce(cardinality(v_late), 0))::double precision / sluice.rows_a_mark() then
        perform sluice.set_mark(%%2$s, v_head.rank, v_head.tenant,
          least(p_now - sluice.mark_lag(), v_head.ready_at));
      end if;
      if v_late is not null then
        perform sluice.end_rows(v_late, p_model, 'expired', p_now, null);
      end if;
    end
    $body$
    $sql$,
      sluice.lease_text('select a.at, 0 as tokens, a.n from unnest(v_at) with ordinality a(at, n)',
        p_by_prefix),
    sluice.lease_text('select q.ctid as at, 0 as tokens, 0 as n from (' || f.text || ') f
      join sluice.queue_%1$s q on q.ctid = f.at
        limit p_max for update of q skip locked', p_by_prefix), f.text, -sluice.rank_max(),
    case when p_by_prefix then 'least(v_row.ready_at, p_now)' else 'v_row.ready_at' end,
    sluice.deadlines_text())
  from (values (   -- the lane's first rows, locked or not
    'select q.ctid as at, q.ready_at from sluice.queue_%1$s q
    where q.rank = v_head.rank and (hashtextextended(q.tenant, 0) >> 1) = v_head.tenant
      and q.ready_at >= v_head.ready_at
    order by q.rank, hashtextextended(q.tenant, 0) >> 1, q.ready_at, q.task_id
      limit p_max + sluice.locked_max()')) f(text)
$$;

-- draw_text: the text of draw_<l>, which moves those of the rows p_ids that are not locked, in
-- their order, into leases, with p_tokens reserved. Late ones end as expired.
-- Params:  p_tokens: null: none.
-- Returns: leases; null: none.
create or replace function sluice.draw_text(p_by_prefix boolean default false) returns text
language sql immutable
as $$
  select format($sql$
    create or replace procedure sluice.draw_%%1$s(
      inout leases sluice.lease[], p_ids bigint[], p_tokens int[], p_model int, p_worker bigint,
      p_now timestamptz)
    language plpgsql
    as $body$
    declare
      v_late sluice.queue[];
    begin
      %s
      if v_late is not null then
        perform sluice.end_rows(v_late, p_model, 'expired', p_now, null);
      end if;
    end
    $body$
    $sql$, sluice.lease_text('select q.at, t.tokens, t.n from unnest(p_ids, p_tokens)
      with ordinality t(id, tokens, n) cross join lateral (
        select q.ctid as at from sluice.queue_%1$s q where q.task_id = t.id limit 1
        for update skip locked) q', p_by_prefix))
$$;

-- drop_functions: drops the functions of a line.
create or replace function sluice.drop_functions(p_line int) returns void
language plpgsql volatile
set client_min_messages = 'warning'   -- most lines have no prefix_time
as $$
begin
  execute format('drop function if exists sluice.prefix_time_%1$s(text, text, text, timestamptz),
    sluice.lanes_%1$s(smallint, bigint, smallint, int, timestamptz),
    sluice.peek_%1$s(int[], smallint[], bigint[], timestamptz[], int[], timestamptz) cascade',
    sluice.line_name(p_line));
  execute format('drop procedure if exists sluice.add_%1$s(sluice.submission),
    sluice.add_plain_%1$s(sluice.plain_submission),
    sluice.take_%1$s(sluice.head[], sluice.lease[], smallint, int, int, int, bigint, timestamptz),
    sluice.draw_%1$s(sluice.lease[], bigint[], int[], int, bigint, timestamptz) cascade',
    sluice.line_name(p_line));
end
$$;
