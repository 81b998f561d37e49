begin;
\ir ../_helpers.sql
select plan(10);

select is(array(select sluice.bin_of(t) from unnest(array[0, 0.0009, 0.001, 0.00118, 0.0012, 1e9,
    -1, null]::float8[]) t), array[0, 0, 1, 1, 2, 120, 0, null]::int[], 'the bins');
select is(sluice.histogram(array[3, 7, 3], array[1, 2, 4]::bigint[]),
  '[3:7]={5,NULL,NULL,NULL,2}'::int[], 'a histogram begins with its first bin');
select is(sluice.histogram(null, null), null::int[], 'an empty one is null');
select is(sluice.add_counts('[3:4]={5,1}', '[1:3]={2,NULL,4}'), '[1:4]={2,NULL,9,1}'::int[],
  'a sum');
select is(sluice.add_counts(null, '[1:1]={2}'), '[1:1]={2}'::int[], 'with nothing');
select is((select sluice.sum_counts(c) from unnest(array['[1:1]={2}', null, '[2:2]={1}']) u(t)
  cross join lateral (select t::int[] as c) v), '[1:2]={2,1}'::int[], 'and of several');
select is(sluice.histogram(array[1, 1], array[2000000000, 2000000000]::bigint[]),
  '[1:1]={2147483647}'::int[], 'a count that would not fit stays at the most');

-- Times from a millisecond to an hour, in a few shapes.
create temporary table times as
select s as shape, case s when 0 then 0.001 * 3600000 ^ (n / 5000.0) when 1 then 2 + n / 5000.0
  when 2 then -ln(1 - (n - 0.5) / 5000)
  else case when n % 100 = 0 then 55 else 0.8 end end as time_s
from generate_series(0, 3) s, generate_series(1, 5000) n;
create temporary table compared as
select t.shape, p.part, sluice.percentile(sluice.histogram(array_agg(sluice.bin_of(t.time_s)),
    array_agg(1::bigint)), p.part) as told,
  percentile_disc(p.part) within group (order by t.time_s) as exact
from times t cross join unnest(array[0.01, 0.5, 0.9, 0.99, 1]) p(part) group by 1, 2;
select is((select count(*) from compared where told / exact not between 2 ^ -0.25 and 2 ^ 0.25),
  0::bigint, 'each percentile is less than a bin''s width, a fifth, away from the exact one');
select is((select count(*) from compared), 20::bigint, 'they were compared');
select is(sluice.percentile(null, 0.5), null::float8, 'of nothing it is null');

select * from finish();
rollback;
