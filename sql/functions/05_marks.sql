-- Marks keep scans flat while somebody holds a snapshot. A line is an ordered set of rows (a model's queue, a
-- model's backlog, a route's backlog); a lane is a (line, rank). A lane's mark is a lower bound on ready_at of the
-- rows still there: a hint in an unlogged sequence mark_<lane id>, updated in place outside MVCC, so that a scan starts
-- behind the dead rows instead of walking them. Measured, snapshot held through 1M tasks: 0.91 -> 0.96 ms per claim of
-- 250 with marks; without, 8 -> 20 ms after 250k.
-- Rules: never past a row taken by an uncommitted transaction, never closer to now than the lag; who puts a row back
-- below a mark lowers it in the same transaction under the model's lock; what commits later than the lag is found by
-- the sweep (61_sweep.sql). A lane without mark, or with a mark lost in a crash, is scanned from the start.

-- mark_lag: how far marks stay behind the clock: the longest time a submit may take to commit and still be found
-- without the sweep.
create or replace function sluice.mark_lag() returns interval
language sql immutable parallel safe
as $$ select interval '250 milliseconds' $$;

-- mark: the mark of lane p_lane, or -infinity; also of a lane whose line was dropped just now.
create or replace function sluice.mark(p_lane int) returns timestamptz
language sql volatile
as $$
  select coalesce(sluice.from_micros(pg_sequence_last_value(to_regclass('sluice.mark_' || p_lane))), '-infinity')
$$;

-- set_mark: sets the mark of lane p_lane. Not undone by a rollback, so only ever to a bound that holds either way.
create or replace function sluice.set_mark(p_lane int, p_mark timestamptz) returns void
language sql volatile
as $$ select setval(to_regclass('sluice.mark_' || p_lane), sluice.micros(p_mark)) $$;

-- segments: line p_line cut into pieces that a row comparison can position on: gap before the first known lane, that
-- lane from its mark, gap, lane ... gap. In order; the pieces cover every rank.
-- Returns: (lo_rank, lo_ready) to start at, hi_rank to end with.
-- plpgsql like everything here that runs often: PostgreSQL plans the body of an SQL function anew at every call (227 us for
-- this one, 12 us so).
create or replace function sluice.segments(p_line text)
returns table (lo_rank smallint, lo_ready timestamptz, hi_rank smallint)
language plpgsql volatile rows 3
as $$
declare
  v_lane record;
begin
  lo_rank := -100;
  for v_lane in select l.id, l.rank from sluice.lane l where l.line = p_line order by l.rank loop
    if lo_rank < v_lane.rank then
      lo_ready := '-infinity';
      hi_rank := v_lane.rank - 1;
      return next;
    end if;
    lo_rank := v_lane.rank;
    lo_ready := sluice.mark(v_lane.id);
    hi_rank := v_lane.rank;
    return next;
    lo_rank := v_lane.rank + 1;
  end loop;
  if lo_rank <= 100 then
    lo_ready := '-infinity';
    hi_rank := 100;
    return next;
  end if;
end
$$;

-- advance_marks: after rows were taken from line p_line, moves its lanes' marks.
-- Params:  p_ranks, p_firsts: the ranks taken from and the ready_at of the first row taken in each;
--          p_last: the highest rank that the scan finished with (100: it found the line empty); p_now.
-- Requires the line's lock. A scanned lane that gave nothing moves to now - lag; one that gave rows stays before the
-- first of them, for their deletion is not committed yet.
create or replace function sluice.advance_marks(
  p_line text, p_ranks smallint[], p_firsts timestamptz[], p_last smallint, p_now timestamptz) returns void
language plpgsql volatile
as $$
#variable_conflict use_column
begin
  perform sluice.set_mark(l.id, least(p_now - sluice.mark_lag(), t.first - interval '1 microsecond'))
  from sluice.lane l
  left join unnest(p_ranks, p_firsts) t(rank, first) on t.rank = l.rank
  where l.line = p_line and (t.rank is not null or l.rank <= p_last);
end
$$;

-- make_lanes: gives marks to lanes of p_line that have none. DDL, hence rare: see 31_claim_from.sql.
create or replace function sluice.make_lanes(p_line text, p_ranks smallint[]) returns void
language plpgsql volatile
as $$
declare
  v_lane int;
begin
  for v_lane in
    insert into sluice.lane (line, rank) select p_line, unnest(p_ranks) on conflict do nothing returning id
  loop
    execute format('create unlogged sequence sluice.%I minvalue 0', 'mark_' || v_lane);
  end loop;
end
$$;

-- drop_lanes: takes the marks of p_line away, because the line is no more.
create or replace function sluice.drop_lanes(p_line text) returns void
language plpgsql volatile
as $$
declare
  v_lane int;
begin
  for v_lane in delete from sluice.lane where line = p_line returning id loop
    execute format('drop sequence if exists sluice.%I', 'mark_' || v_lane);
  end loop;
end
$$;

-- lower_marks: makes sure that no lane of p_line has a mark above rows put back into it.
-- Params:  p_ranks, p_firsts: ranks put back to, and the lowest ready_at in each. Requires the line's lock.
create or replace function sluice.lower_marks(p_line text, p_ranks smallint[], p_firsts timestamptz[]) returns void
language plpgsql volatile
as $$
#variable_conflict use_column
begin
  perform sluice.set_mark(l.id, t.first - interval '1 microsecond')
  from unnest(p_ranks, p_firsts) t(rank, first)
  join sluice.lane l on l.line = p_line and l.rank = t.rank
  where sluice.mark(l.id) >= t.first;
end
$$;
