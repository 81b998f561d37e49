-- The generated functions that find rows without taking them: the first of many lanes, or more of
-- some lanes.

-- probe_text: a query of the first row of queue_<l> that meets p_where.
-- twin: tenant_key (change all alike)
create or replace function sluice.probe_text(p_where text) returns text
language sql immutable
as $$
  select 'select q.rank, hashtextextended(q.tenant, 0) >> 1 as tenant, q.ready_at, q.request_bytes '
         'from sluice.queue_%1$s q where '
    || replace(p_where, 'tenant_key', '(hashtextextended(q.tenant, 0) >> 1)')
    || ' order by q.rank, hashtextextended(q.tenant, 0) >> 1, q.ready_at limit 1'
$$;

-- skip_text: the query of the skip scan.
-- Params:  p_mark: the expression that looks up the next lane with a mark from s on.
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
    select coalesce(array_agg(s.head), '{}') from step s
    where s.head is distinct from null)$sql$, p_mark,
    sluice.probe_text('(m.rank > s.rank or m.rank is null)
      and (q.rank, tenant_key) >= (s.rank, s.tenant) and q.rank < coalesce(m.rank, p_last + 1)'),
    sluice.probe_text('q.rank = m.rank and tenant_key < m.tenant
      and tenant_key >= case when s.rank < m.rank then -4611686018427387904 else s.tenant end'),
    -- Unless the clock was set back since.
    sluice.probe_text('q.rank = m.rank and tenant_key = m.tenant
      and q.ready_at >= case when m.ready_at <= p_now - interval ''' || sluice.mark_lag() || '''
        then m.ready_at else ''-infinity'' end'))
$$;

-- lanes_text: the text of lanes_<l>: the first row of each waiting lane, in order, from (p_rank,
-- p_tenant) on up to rank p_last; at most p_max. It is a skip scan with one step for each lane: the
-- first row between the current position and the next lane with a mark, else the first of that lane
-- from its mark on. Before the mark it uses two probes with plain upper bounds, because a scan does
-- not stop at the second column of a row comparison: it would walk the rest of the rank (14 ms
-- behind 100,000 rows; D-014). On a standby there are no marks.
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

-- peek_text: the text of peek_<l>: the first rows of some lanes, each from p_readies on; at most
-- p_limits of each, but 32 where deadlines decide their order.
-- Params:  p_lanes: the number to return for each lane.
-- Returns: has_more: of the last of so many rows: there may be more in the lane. No nulls
--          (deadline: infinity), because PostgreSQL walks over a row with nulls column after column
--          at each access.
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
      v_least int := case when $sql$ || sluice.deadlines_text() || $sql$ then 32 else 0 end;
    begin
      return (
        select array_agg(row(q.task_id, %2$s, l.lane, l.rank, l.tenant, q.ready_at,
          coalesce(q.deadline, 'infinity'), q.request_bytes,
          q.place, 0, 0, 0, 0, q.place = greatest(l.most, v_least))::sluice.turn)
        from unnest(p_lanes, p_ranks, p_tenants, p_readies,
          p_limits) l(lane, rank, tenant, ready, most)
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
