begin;
\ir ../_helpers.sql
select plan(5);

select given_model() as m \gset
select 'queue_' || id_of(:'m') as line \gset
create function uncovered(p_line text) returns bigint language sql
as $$
  select count(*) from generate_series(-100, 100) rank
  where (select count(*) from sluice.segments(p_line) s where rank between s.lo_rank and s.hi_rank) <> 1
$$;

select results_eq(format('select * from sluice.segments(%L)', :'line'),
  $$values (-100::smallint, '-infinity'::timestamptz, 100::smallint)$$, 'a line without lanes is one piece');
select given_lanes(:'line', 0, 5, 6);
select is(uncovered(:'line'), 0::bigint, 'three lanes and the gaps around them cover every rank exactly once');
select results_eq(format('select lo_rank, hi_rank from sluice.segments(%L)', :'line'),
  $$select lo::smallint, hi::smallint from (values (-100, -1), (0, 0), (1, 4), (5, 5), (6, 6), (7, 100)) v(lo, hi)$$,
  'in order');
select given_lanes(:'line', -100, 100);
select is(uncovered(:'line'), 0::bigint, 'lanes at both ends too');
select given_lanes(:'line', variadic array(select generate_series(-100, 100)));
select is(uncovered(:'line'), 0::bigint, 'and a lane for every rank');

select * from finish();
rollback;
