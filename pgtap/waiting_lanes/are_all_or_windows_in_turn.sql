begin;
\ir ../_helpers.sql
\ir ../fair_turns/_helpers.sql
select plan(4);

select given_model() as m \gset
select waits(:'m', 'tenant ' || n, 1) from generate_series(1, 30) n \g /dev/null
select is(cardinality((sluice.waiting_lanes(id_of(:'m'), 64, 100::smallint, 64, 64, at(1))).heads), 30, 'all, if they are few');
select is((sluice.waiting_lanes(id_of(:'m'), 64, 100::smallint, 64, 64, at(1))).places, null, 'which is no window');
create temporary table looked on commit drop as
select n, (sluice.waiting_lanes(id_of(:'m'), 8, 100::smallint, 8, 8, at(1 + n))).heads as heads from generate_series(1, 15) n;
select is((select array_agg(distinct cardinality(heads)) from looked), '{8}', 'of many, eight');
select is((select array_agg(distinct c) from (select count(*) as c from looked l cross join lateral unnest(l.heads) h group by h.tenant) x),
  '{4}'::bigint[], 'each equally often');

select * from finish();
rollback;
