-- Functions that are generated for each line (2_storage/lines.sql), because the name of its queue
-- is part of their text: a session plans them once, where a text given to EXECUTE is planned at
-- every call. Measured on an idle machine: to take one row 313 -> 60 us; to put one task's row
-- 170,000 -> 120,000 instructions. A session that has taken from a line keeps about 100 kB of plans
-- for it. They have no settings of their own (five cost 10 us): whoever calls them pins the plan.
-- tenant_key is written out, as in the index.

-- make_functions: creates those of line p_line, <l> being its line_name, or replaces them.
create or replace function sluice.make_functions(p_line int) returns void
language plpgsql volatile
as $$
declare
  v_name text := sluice.line_name(p_line);
begin
  execute format(sluice.add_text(p_line), v_name, p_line);
  execute format(sluice.lanes_text(), v_name, p_line);
  execute format(sluice.take_text(), v_name, p_line);
  execute format(sluice.draw_text(), v_name, p_line);
  execute format(sluice.peek_text(), v_name, p_line);
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

-- add_text: add_<l>: stores one new task and puts it into the line, or aside until its time; takes
-- headroom for it in the gauges. It locks the queue or the model's gauge, so no model goes under an
-- open submit. A procedure, for EXECUTE plans no CALL, and of one argument: each costs 5,000
-- instructions. Both rows in one statement: 17,000 less than in two.
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
          perform sluice.accept('line', '%%2$s', 1, p_new.max_queue, 1, p_new.created_at);
        end if;
      end if;
      if p_new.later then
        %s
        insert into sluice.later (task_id, ready_at, deadline, model, request_bytes, fence, rank,
          attempts, route, tenant)
        values (p_new.id, greatest(p_new.run_at, p_new.created_at), p_new.deadline, p_new.model,
          p_new.request_bytes, 0,
          -p_new.priority, 0, p_new.route, p_new.tenant);
        %s;
      else
        with waiting as (
          insert into sluice.queue_%%1$s (task_id, ready_at, deadline, model, request_bytes, fence,
            rank, attempts, tenant)
          values (p_new.id, p_new.created_at, p_new.deadline, p_new.model, p_new.request_bytes, 0,
            -p_new.priority, 0, p_new.tenant))
        %s;
      end if;
    end
    $body$
    $sql$, case when p_line > 0 then $sql$if p_new.full_at is not null then
        if nextval('sluice.load_%1$s') > p_new.full_at then
          perform sluice.accept('model', '%2$s', 1, null, 1, p_new.created_at);
        end if;
      end if;$sql$ end,
        case when p_line > 0 then $sql$perform pg_sequence_last_value('sluice.load_%1$s');$sql$ end,
        t.stored, t.stored)
  from (values ($sql$insert into sluice.task (id, created_at, run_at, deadline, batch_id, model,
    max_output_tokens, priority,
          max_attempts, route, api, tenant, traceparent, metadata, prompt, request)
        values (p_new.id, p_new.created_at, p_new.run_at, p_new.deadline, p_new.batch_id,
          p_new.model, p_new.max_output_tokens,
          p_new.priority, p_new.max_attempts, p_new.route, p_new.api, p_new.tenant,
            p_new.traceparent, p_new.metadata, p_new.prompt,
          p_new.request)$sql$)) t(stored)
$$;

-- probe_text: the first row of queue_<l> of which p_where is so.
-- twin: tenant_key
create or replace function sluice.probe_text(p_where text) returns text
language sql immutable
as $$
  select 'select q.rank, hashtextextended(q.tenant, 0) >> 1 as tenant, q.ready_at, q.request_bytes '
         'from sluice.queue_%1$s q where '
    || replace(p_where, 'tenant_key', '(hashtextextended(q.tenant, 0) >> 1)')
    || ' order by q.rank, hashtextextended(q.tenant, 0) >> 1, q.ready_at limit 1'
$$;

-- skip_text: the skip scan. Params: p_mark: looks up the next lane with a mark from s on.
create or replace function sluice.skip_text(p_mark text) returns text
language sql immutable
as $$
  select format($sql$(
    with recursive step as (
      select 0 as heads, p_rank as rank, p_tenant as tenant, null::sluice.head as head
      union all
      select s.heads + (f.rank is not null)::int, coalesce(f.rank, m.rank),
        coalesce(f.tenant, m.tenant) + 1,
        case when f.rank is not null then row(%%2$s, f.rank, f.tenant, f.ready_at, f.request_bytes,
          null, null)::sluice.head end
      from step s
      left join lateral (%1$s) m on true
      left join lateral (
        (%2$s)
        union all
        (%3$s)
        union all
        (%4$s)
        limit 1) f on true
      where s.heads < p_max and s.rank <= p_last and (f.rank is not null or m.rank is not null))
    select coalesce(array_agg(s.head), '{}') from step s where s.head is distinct from null)$sql$,
      p_mark,
    sluice.probe_text('(m.rank > s.rank or m.rank is null)
      and (q.rank, tenant_key) >= (s.rank, s.tenant) and q.rank < coalesce(m.rank, p_last + 1)'),
    sluice.probe_text('q.rank = m.rank and tenant_key < m.tenant
      and tenant_key >= case when s.rank < m.rank then -4611686018427387904 else s.tenant end'),
    -- Unless the clock was set back since.
    sluice.probe_text('q.rank = m.rank and tenant_key = m.tenant
      and q.ready_at >= case when m.ready_at <= p_now - interval ''250 milliseconds''
        then m.ready_at else ''-infinity'' end'))
$$;

-- lanes_text: lanes_<l>: the first row of each waiting lane, in order, from (p_rank, p_tenant) on
-- up to rank p_last; at most p_max. A skip scan, one step a lane: the first row from where it is to
-- the next lane with a mark, else of that lane from its mark on. Two probes with plain upper bounds
-- before the mark: a scan does not stop at the second column of a row comparison, it walks the rest
-- of the rank (14 ms behind 100,000 rows). On a standby there are no marks.
-- Rejected: a loop in PL/pgSQL, two to six statements a lane (of six lanes 0.13 ms, so 0.06; of one
-- 0.08, so 0.06).
create or replace function sluice.lanes_text() returns text
language sql immutable
as $$
  select format($sql$
    create or replace function sluice.lanes_%%1$s(
      p_rank smallint, p_tenant bigint, p_last smallint, p_max int, p_now timestamptz)
    returns sluice.head[]
    language plpgsql volatile
    as $body$
    begin
      if pg_is_in_recovery() then
        return %s;
      end if;
      return %s;
    end
    $body$
    $sql$, sluice.skip_text('select null::smallint as rank, null::bigint as tenant, '
                            'null::timestamptz as ready_at'),
    sluice.skip_text('select m.rank, m.tenant, m.ready_at from sluice.mark m
      where m.line = %2$s and (m.rank, m.tenant) >= (s.rank, s.tenant) and m.rank <= p_last
      order by m.rank, m.tenant, m.n desc limit 1'))
$$;

-- lease_text: moves rows into leases, in the order of p_pick; those that are late into v_late.
-- Params:  p_pick: their ctid as at, tokens to reserve, and n: order by it, but for 0.
create or replace function sluice.lease_text(p_pick text) returns text
language sql immutable
as $$
  select 'with pick as materialized (' || p_pick || '),
      gone as (delete from sluice.queue_%1$s q using pick p where q.ctid = p.at returning q.*,
        p.tokens),
      live as (
        insert into sluice.lease (task_id, worker, ready_at, started_at, deadline, reserved_tokens,
          model, request_bytes, fence, rank,
          attempts, tenant, line)
        select g.task_id, p_worker, g.ready_at, p_now, g.deadline, coalesce(g.tokens, 0), p_model,
          g.request_bytes, g.fence + 1, g.rank,
          g.attempts, g.tenant, %2$s
        from gone g where coalesce(g.deadline > p_now, true) returning lease)
      select array_agg(l.lease), (select array_agg(row(g.task_id, g.ready_at, g.deadline, g.model,
        g.request_bytes, g.fence, g.rank,
        g.attempts, g.tenant)::sluice.queue) from gone g where g.deadline <= p_now)
      into leases, v_late from live l;'
$$;

-- take_text: take_<l>: moves up to p_max rows of the only lane of heads (null: of all that wait),
-- from its first row on, into leases of p_worker for p_model; those with deadlines first among the
-- first 32 or p_max, as long as any is to come in the line. Late ones end as expired. Locked ones
-- are passed over, up to locked_max. Of several lanes, but fewer than p_look, one row: of the lane
-- whose turn it is. A procedure: CALL is not planned (16 us against 27), but parsed each time (30),
-- so a claim of one task makes do with one.
-- Params:  p_last: no lane of a rank beyond; p_look: looks at so many. Requires the locks of line
--          and model.
-- Returns: heads: the lanes that wait; leases; null: there are more lanes, or nobody could be had
--          of the only one.
create or replace function sluice.take_text() returns text
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
        heads := sluice.lanes_%%1$s(-100::smallint, -4611686018427387904, p_last, p_look, p_now);
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
      if exists (select from sluice.queue_%%1$s q where q.deadline >= p_now) then
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
          values (v_row.task_id, p_worker, v_row.ready_at, p_now, v_row.deadline, p_model,
            v_row.request_bytes, v_row.fence + 1, v_row.rank,
            v_row.attempts, v_row.tenant, %%2$s) returning * into v_lease;
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
      if random() < (coalesce(cardinality(leases), 0) + coalesce(cardinality(v_late),
        0))::double precision / sluice.rows_a_mark() then
        perform sluice.set_mark(%%2$s, v_head.rank, v_head.tenant, least(p_now - sluice.mark_lag(),
          v_head.ready_at));
      end if;
      if v_late is not null then
        perform sluice.expire(v_late, p_model, p_now);
      end if;
    end
    $body$
    $sql$, sluice.lease_text('select a.at, 0 as tokens, a.n from unnest(v_at) with ordinality '
                             'a(at, n)'),
    sluice.lease_text('select q.ctid as at, 0 as tokens, 0 as n from (' || f.text || ') f
      join sluice.queue_%1$s q on q.ctid = f.at
        limit p_max for update of q skip locked'), f.text)
  from (values (sluice.first_text())) f(text)
$$;

-- draw_text: draw_<l>: moves the rows p_ids that nobody has locked, in their order, into leases
-- with p_tokens reserved. Late ones end as expired. Params: p_tokens: null: none. Returns: leases;
-- null: none.
create or replace function sluice.draw_text() returns text
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
        perform sluice.expire(v_late, p_model, p_now);
      end if;
    end
    $body$
    $sql$, sluice.lease_text('select q.ctid as at, t.tokens, t.n from unnest(p_ids,
      p_tokens) with ordinality t(id, tokens, n)
        join sluice.queue_%1$s q on q.task_id = t.id for update of q skip locked'))
$$;

-- peek_text: peek_<l>: the first rows of some lanes, each from p_readies on, at most p_limits, but
-- 32 where deadlines are to order them.
-- Params:  p_lanes: what to call the lanes. Returns: has_more: there may be more in its lane; no
--          nulls (deadline: infinity), for rows with some are walked over, column after column, at
--          each look into them.
-- twin: tenant_key
create or replace function sluice.peek_text() returns text
language sql immutable
as $$
  select $sql$
    create or replace function sluice.peek_%1$s(
      p_lanes int[], p_ranks smallint[], p_tenants bigint[], p_readies timestamptz[],
      p_limits int[], p_now timestamptz)
    returns sluice.turn[]
    language plpgsql volatile
    as $body$
    declare
      v_least int := case when exists (select from sluice.queue_%1$s q where q.deadline >= p_now)
        then 32 else 0 end;
    begin
      return (
        select array_agg(row(q.task_id, %2$s, l.lane, l.rank, l.tenant, q.ready_at,
          coalesce(q.deadline, 'infinity'), q.request_bytes,
          q.place, 0, 0, 0, 0, q.place = greatest(l.most, v_least))::sluice.turn)
        from unnest(p_lanes, p_ranks, p_tenants, p_readies, p_limits) l(lane, rank, tenant,
          ready, most)
        cross join lateral (
          select q.task_id, q.ready_at, q.deadline, q.request_bytes,
            row_number() over (order by q.ready_at, q.task_id) as place
          from sluice.queue_%1$s q
          where q.rank = l.rank and (hashtextextended(q.tenant, 0) >> 1) = l.tenant
            and q.ready_at >= l.ready
          order by q.ready_at, q.task_id limit greatest(l.most, v_least)) q);
    end
    $body$
    $sql$
$$;

-- drop_functions: drops them.
create or replace function sluice.drop_functions(p_line int) returns void
language plpgsql volatile
as $$
begin
  execute format('drop function if exists sluice.lanes_%1$s(smallint, bigint, smallint, int,
    timestamptz),
    sluice.peek_%1$s(int[], smallint[], bigint[], timestamptz[], int[], timestamptz),
      sluice.depth_%1$s(int)', sluice.line_name(p_line));
  execute format('drop procedure if exists sluice.add_%1$s(sluice.submission),
    sluice.take_%1$s(sluice.head[], sluice.lease[], smallint, int, int, int, bigint, timestamptz),
    sluice.draw_%1$s(sluice.lease[], bigint[], int[], int, bigint, timestamptz)',
    sluice.line_name(p_line));
end
$$;
