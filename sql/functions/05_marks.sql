-- Marks keep scans flat while somebody holds a snapshot. A line is an ordered set of rows: a model's queue, a model's
-- backlog, a route's backlog; "later": all that waits for its time. A lane is a (line, rank) of a queue, a (line, rank,
-- tenant) of the backlog: 19_lanes.sql looks at those. A lane's mark is a lower bound on ready_at of the rows still
-- there: a hint in an unlogged sequence mark_<lane id>, updated in place outside MVCC, so that a scan starts behind the
-- dead rows instead of walking them.
-- Measured, snapshot held through 1M tasks: 0.91 -> 0.96 ms per claim of 250 with marks; without, 8 -> 20 ms after 250k.
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
create or replace function sluice.set_mark(p_lane int, p_mark timestamptz) returns bigint
language sql volatile
as $$ select setval(to_regclass('sluice.mark_' || p_lane), sluice.micros(p_mark)) $$;

-- line_of: the line of the backlog in which a row waits: its route's, or its model's. The key of backlog_of_line.
create or replace function sluice.line_of(p_model int, p_route text) returns text
language sql immutable parallel safe
as $$ select coalesce('route_' || p_route, 'backlog_' || p_model::text) $$;

-- tenant_key: what tells lanes of tenants apart: 63 bits of a hash. A number compares fast in every locale and spreads
-- tenants evenly; two tenants with one key would merely share their turns. Shifted, so that key + 1 is one, too.
create or replace function sluice.tenant_key(p_tenant text) returns bigint
language sql immutable parallel safe
as $$ select hashtextextended(p_tenant, 0) >> 1 $$;

-- lanes_max: lanes of one line that get a mark; further ones are scanned from the start. A mark is a relation, and each
-- look at a line passes its marks: 200 cost 4 ms.
create or replace function sluice.lanes_max() returns int
language sql immutable parallel safe
as $$ select 200 $$;

-- segments: the queue p_line cut into pieces that a row comparison can position on: gap before the first known lane, that
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

-- make_lanes: gives marks to lanes of p_line that have none, while it has fewer than lanes_max; p_tenants beside p_ranks
-- (null: a queue's). DDL, hence rare: see 31_claim_from.sql.
create or replace function sluice.make_lanes(p_line text, p_ranks smallint[], p_tenants bigint[] default null) returns void
language plpgsql volatile
as $$
declare
  v_lane int;
begin
  for v_lane in
    insert into sluice.lane (line, rank, tenant)
    select p_line, t.rank, coalesce(t.tenant, 0) from unnest(p_ranks, p_tenants) t(rank, tenant)
    limit greatest(0, sluice.lanes_max() - (select count(*) from sluice.lane where line = p_line))
    on conflict do nothing returning id
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
-- Params:  p_ranks, p_firsts: ranks put back to, and the lowest ready_at in each; p_tenants beside them (null: a queue's).
-- Requires the line's lock.
create or replace function sluice.lower_marks(
  p_line text, p_ranks smallint[], p_firsts timestamptz[], p_tenants bigint[] default null) returns void
language plpgsql volatile
as $$
#variable_conflict use_column
begin
  perform sluice.set_mark(l.id, t.first - interval '1 microsecond')
  from unnest(p_ranks, p_firsts, p_tenants) t(rank, first, tenant)
  join sluice.lane l on l.line = p_line and l.rank = t.rank and l.tenant = coalesce(t.tenant, 0)
  where sluice.mark(l.id) >= t.first;
end
$$;
