-- Marks keep scans fast while somebody holds a snapshot. A lane is a (line, rank, tenant). Its mark
-- is a lower bound on the ready_at of its remaining rows: a scan starts there instead of walking
-- over the dead rows before it. Marks are hints. They are rows of the unlogged table sluice.mark,
-- insert-only and with the newest first in its index, so that finding one walks over nothing. Line
-- 0 stands for sluice.later (D-010, D-011).
-- Rules:
-- - A mark is never closer to now than the lag. It never passes a row taken by an uncommitted
--   transaction, with one exception: pass_locked passes more than locked_max locked rows. If these
--   are unlocked without a change, the sweep finds them.
-- - A session that puts a row back below a mark lowers the mark in the same transaction, under the
--   line's lock.
-- - Rows that commit later than the lag are found by the sweep (5_lifecycle/sweep.sql).
-- - A mark closer to now than the lag was made before the clock was set back. It is ignored, and
--   removed by the sweep, because its time will come again.
-- - A lane without a mark is scanned from the start. A standby has no marks: it cannot read
--   unlogged tables.

-- mark_lag: how far marks stay behind the clock: if a submit takes longer than this to commit, only
-- the sweep finds its task.
create or replace function sluice.mark_lag() returns interval
language sql immutable parallel safe
as $$ select interval '250 milliseconds' $$;

-- tenant_key: identifies a tenant within lanes: 63 bits of a hash. A number compares fast in every
-- locale and spreads tenants evenly. Two tenants with the same key would share their turns, so no
-- name is taken that has another's (require_own_turns).
-- It is shifted so that key + 1 is a bigint, too. Queries that need an index write the expression
-- out, because a call would not match the index.
-- twin: tenant_key (change all alike)
create or replace function sluice.tenant_key(p_tenant text) returns bigint
language sql immutable parallel safe
as $$ select hashtextextended(p_tenant, 0) >> 1 $$;

-- first_tenant: the smallest possible key.
create or replace function sluice.first_tenant() returns bigint
language sql immutable parallel safe
as $$ select -4611686018427387904 $$;

-- mark_of: the mark of a lane, or -infinity.
-- Params:  p_now: ignores marks that were made by a later clock; by default none is ignored.
create or replace function sluice.mark_of(
  p_line int, p_rank smallint, p_tenant bigint, p_now timestamptz default 'infinity')
returns timestamptz
language plpgsql volatile
as $$
declare
  v_mark timestamptz;
begin
  if not pg_is_in_recovery() then
    select m.ready_at into v_mark from sluice.mark m
    where m.line = p_line and m.rank = p_rank and m.tenant = p_tenant order by m.line, m.rank,
      m.tenant, m.n desc limit 1;
  end if;
  return case when v_mark <= p_now - sluice.mark_lag() then v_mark else '-infinity' end;
end
$$;

-- set_mark: sets the mark of a lane. Requires the line's lock, but for notes of those who are gone.
create or replace function sluice.set_mark(
  p_line int, p_rank smallint, p_tenant bigint, p_mark timestamptz)
returns void
language plpgsql volatile
as $$
begin
  insert into sluice.mark (line, rank, tenant, n, ready_at)
    values (p_line, p_rank, p_tenant, nextval('sluice.mark_id'), p_mark);
end
$$;

-- rows_a_mark: a lane gets a new mark about once in so many rows taken, and always when all of them
-- are taken at once. A claim steps over the mark of an empty lane as fast as over 16 dead rows.
create or replace function sluice.rows_a_mark() returns int
language sql immutable parallel safe
as $$ select 16 $$;

-- note_taken: now and then sets the marks of lanes from which rows were just taken, to the first
-- row still visible. Rows deleted by an uncommitted transaction are still visible, and may come
-- back.
-- Params:  p_heads: the lanes; p_turns: the rows taken. Requires the lines' locks.
create or replace function sluice.note_taken(
  p_heads sluice.head[], p_turns sluice.turn[], p_now timestamptz)
returns void
language plpgsql volatile
as $$
begin
  insert into sluice.mark (line, rank, tenant, n, ready_at)
  select t.line, t.rank, t.tenant, nextval('sluice.mark_id'),
    least(p_now - sluice.mark_lag(), (p_heads[t.lane]).ready_at)
  from (select t.line, t.rank, t.tenant, t.lane from unnest(p_turns) t group by t.line, t.rank,
    t.tenant, t.lane
        having random() < count(*)::double precision / sluice.rows_a_mark()) t;
end
$$;

-- note_gone: makes lanes known from which others than claims have taken rows, as rarely as
-- note_taken does, so that the sweep raises their marks (advance_marks). Beside a snapshot that was
-- held 870,000 tasks that had been submitted and cancelled in one transaction, so that no claim saw
-- them, made each claim walk for 0.4 s.
-- Params:  p_rows: may be null.
create or replace function sluice.note_gone(p_line int, p_rows sluice.queue[]) returns void
language plpgsql volatile
as $$
begin
  perform sluice.set_mark(p_line, g.rank, g.tenant, '-infinity')
  from (select q.rank, sluice.tenant_key(q.tenant) as tenant from unnest(p_rows) q group by 1, 2
    having random() < count(*)::double precision / sluice.rows_a_mark()) g
  where not exists (select from sluice.mark m
    where m.line = p_line and m.rank = g.rank and m.tenant = g.tenant);
end
$$;

-- locked_max: how many locked rows of a lane a claim skips, at 4 us each. An uncommitted cancel of
-- 900,000 tasks once cost each claim a second.
create or replace function sluice.locked_max() returns int
language sql immutable parallel safe
as $$ select 1000 $$;

-- pass_locked: sets the mark of lane p_head behind p_last, after a claim found all rows up to there
-- locked, so that the next claim starts there. If the locks are released without a change, the
-- sweep finds the rows. Requires the line's lock.
create or replace function sluice.pass_locked(
  p_head sluice.head, p_last timestamptz, p_now timestamptz)
returns void
language plpgsql volatile
as $$
begin
  perform sluice.set_mark(p_head.line, p_head.rank, p_head.tenant,
    least(p_now - sluice.mark_lag(), p_last + interval '1 microsecond'));
end
$$;

-- lower_marks: lowers those marks of p_line that lie above rows put back into their lanes.
-- Params:  p_ranks, p_tenants, p_firsts: the lanes, and the lowest ready_at put back into each.
--          Requires the line's lock.
create or replace function sluice.lower_marks(
  p_line int, p_ranks smallint[], p_tenants bigint[], p_firsts timestamptz[])
returns void
language plpgsql volatile
as $$
begin
  perform sluice.set_mark(p_line, t.rank, t.tenant, t.first)
  from unnest(p_ranks, p_tenants, p_firsts) t(rank, tenant, first)
  where sluice.mark_of(p_line, t.rank, t.tenant) > t.first;
end
$$;
