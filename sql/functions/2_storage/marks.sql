-- Marks keep scans flat while somebody holds a snapshot. A lane is a (line, rank, tenant); its mark
-- is a lower bound on ready_at of the rows still there: a scan starts behind the dead rows instead
-- of walking them. A hint: rows of the unlogged table sluice.mark, insert-only, the newest first in
-- its index, so that finding one walks over nothing. Line 0 is what waits for its time. Measured,
-- snapshot held while 200,000 are consumed, ms per claim of 250, before -> after: 100 tenants 5.3
-- -> 59 without marks, 7.2 -> 8.0 with one a lane and 4 looks.
-- Rejected: a sequence a lane. That is DDL, so too few lanes had one, and whoever looks at a line
-- passes all of them. Rules: never past a row taken by an uncommitted transaction, never closer to
-- now than the lag; who puts a row back below a mark lowers it in the same transaction under the
-- line's lock; what commits later than the lag is found by the sweep (5_lifecycle/sweep.sql). A
-- mark closer to now than the lag is none: it was made before the clock was set back. The sweep
-- removes it, for its time comes again. A lane without mark is scanned from the start. A standby
-- has no marks: an unlogged table cannot be read there.

-- mark_lag: how far marks stay behind the clock: the longest time a submit may take to commit and
-- still be found without the sweep.
create or replace function sluice.mark_lag() returns interval
language sql immutable parallel safe
as $$ select interval '250 milliseconds' $$;

-- tenant_key: what tells lanes of tenants apart: 63 bits of a hash. A number compares fast in every
-- locale and spreads tenants evenly; two tenants with one key would merely share their turns.
-- Shifted, so that key + 1 is one, too. Written out wherever an index is to be used, for a call
-- would be planned, not found in it.
-- twin: tenant_key
create or replace function sluice.tenant_key(p_tenant text) returns bigint
language sql immutable parallel safe
as $$ select hashtextextended(p_tenant, 0) >> 1 $$;

-- first_tenant: the least of all keys.
create or replace function sluice.first_tenant() returns bigint
language sql immutable parallel safe
as $$ select -4611686018427387904 $$;

-- mark_of: the mark of a lane, or -infinity. Params: p_now: as of then; by default even if the
-- clock has been set back behind it.
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

-- set_mark: sets the mark of a lane. Requires the line's lock.
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

-- rows_a_mark: about once in so many rows a lane that gives them gets a mark; one that gives all of
-- them at once always does. To step over the mark of an empty lane costs a look what 16 dead rows
-- do.
create or replace function sluice.rows_a_mark() returns int
language sql immutable parallel safe
as $$ select 16 $$;

-- note_taken: marks lanes that have just given rows, now and then. Up to the first row seen, taken
-- or not: what an uncommitted transaction deletes is still seen, and may come back.
-- Params:  p_heads: the lanes; p_turns: what they gave; p_now. Requires the lines' locks.
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

-- locked_max: rows of a lane that a claim passes over because somebody has locked them, 4 us each.
-- A cancel of 900,000 that was not committed took each claim a second.
create or replace function sluice.locked_max() returns int
language sql immutable parallel safe
as $$ select 1000 $$;

-- pass_locked: marks the lane p_head of which a claim could have none of the rows up to p_last, for
-- somebody has locked them: the next claim goes on there. What comes back below is the sweep's to
-- find. Requires the line's lock.
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

-- lower_marks: makes sure that no lane of p_line has a mark above rows put back into it.
-- Params:  p_ranks, p_tenants, p_firsts: lanes put back to, and the lowest ready_at in each.
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
