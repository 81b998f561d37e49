-- sluice.later: tasks that wait for their time. They are found in the order of their times, from
-- the mark of line 0's rank 0 on, or by turns of their tenants. Marks of rank 1 are notes of
-- tenants of whom rows have gone: a look for tenants steps over them instead of walking over what
-- they left behind, which takes long while somebody holds a snapshot. A note hides nothing: its
-- tenant is among those found.

-- first_due: the ready_at of the first due task; null: none is due. Rows of open transactions are
-- not visible, but a look visits each of them. A look that had to walk over many of them sets the
-- mark behind them, so that only one look does, and the sweep finds the rows when they are
-- committed.
create or replace function sluice.first_due(p_now timestamptz) returns timestamptz
language plpgsql volatile
as $$
declare
  c_walk_max constant int := 256;  -- blocks that a look may fetch in vain; 20,000 rows
  v_from timestamptz := sluice.mark_of(0, 0::smallint, 0, p_now);
  v_blocks bigint := pg_stat_get_xact_blocks_fetched('sluice.later'::regclass);
  v_first timestamptz := (select min(ready_at) from sluice.later where ready_at >= v_from
    and ready_at <= p_now);
begin
  if pg_stat_get_xact_blocks_fetched('sluice.later'::regclass) - v_blocks > c_walk_max then
    perform sluice.set_mark(0, 0::smallint, 0, least(p_now - sluice.mark_lag(), v_first));
  end if;
  return v_first;
end
$$;

-- note_later_gone: notes tenants of whom rows have gone, as rarely as note_taken. It does not ask
-- whether there is a note: a transaction with an old snapshot may see one that is gone.
-- Params:  p_tenants: one for each row.
create or replace function sluice.note_later_gone(p_tenants text[]) returns void
language plpgsql volatile
as $$
begin
  perform sluice.set_mark(0, 1::smallint, g.tenant, '-infinity')
  from (select sluice.tenant_key(t) as tenant from unnest(p_tenants) t group by 1
    having random() < count(*)::double precision / sluice.rows_a_mark()) g;
end
$$;

-- later_tenants: the keys of the tenants of whom something waits for its time, or is noted to have
-- waited, from a random one on; at most p_max.
-- twin: tenant_key (change all alike)
create or replace function sluice.later_tenants(p_max int) returns bigint[]
language plpgsql volatile
as $$
declare
  v_from bigint := sluice.tenant_key(random()::text);
begin
  return array(
    with recursive step as (
      -- From v_from to the end, then once more from the beginning up to it; each step to the next
      -- tenant with a row before the next one with a note, else to that one.
      select v_from as next, false as again, null::bigint as tenant, 0 as n
      union all
      select case when f.tenant is not null then f.tenant + 1
          when not s.again then sluice.first_tenant() end,
        s.again or f.tenant is null, f.tenant, s.n + (f.tenant is not null)::int
      from (select o.*, case when o.again then v_from else 4611686018427387904 end as until
        from step o) s
      left join lateral (
        select m.tenant from sluice.mark m
        where m.line = 0 and m.rank = 1 and m.tenant >= s.next and m.tenant < s.until
        order by m.line, m.rank, m.tenant, m.n desc limit 1) g on true
      left join lateral (
        select hashtextextended(l.tenant, 0) >> 1 as tenant from sluice.later l
        where (hashtextextended(l.tenant, 0) >> 1) >= s.next
          and (hashtextextended(l.tenant, 0) >> 1) < coalesce(g.tenant, s.until)
        order by hashtextextended(l.tenant, 0) >> 1 limit 1) r on true
      cross join lateral (select coalesce(r.tenant, g.tenant) as tenant) f
      where s.n < p_max and s.next is not null)
    select s.tenant from step s where s.tenant is not null);
end
$$;

-- due_by_turns: where the first due tasks of some tenants are, of each as many; at most p_max.
-- Params:  p_first: when the first became due.
-- Conditions on pairs are what only the index by tenant can meet.
-- twin: tenant_key
create or replace function sluice.due_by_turns(
  p_first timestamptz, p_max int, p_now timestamptz)
returns tid[]
language plpgsql volatile
as $$
declare
  c_tenants_max constant int := 500;  -- at 5 us each
begin
  return array(
    with tenants as materialized (
      select t.tenant, count(*) over () as n
      from unnest(sluice.later_tenants(c_tenants_max)) t(tenant)
      where (select true from sluice.later l
        where ((hashtextextended(l.tenant, 0) >> 1), l.ready_at) >= (t.tenant, p_first)
          and ((hashtextextended(l.tenant, 0) >> 1), l.ready_at) <= (t.tenant, p_now)
        order by hashtextextended(l.tenant, 0) >> 1, l.ready_at limit 1))
    select d.at from tenants t
    cross join lateral unnest(array(
      select l.ctid from sluice.later l
      where ((hashtextextended(l.tenant, 0) >> 1), l.ready_at) >= (t.tenant, p_first)
        and ((hashtextextended(l.tenant, 0) >> 1), l.ready_at) <= (t.tenant, p_now)
      order by hashtextextended(l.tenant, 0) >> 1, l.ready_at
      limit greatest(1, p_max / t.n))) with ordinality d(at, turn)
    order by d.turn);
end
$$;
