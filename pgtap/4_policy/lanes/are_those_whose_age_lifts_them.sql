begin;
\ir ../../_helpers.sql
\ir ../../4_policy/fair_share/_fair_turns.sql
select plan(2);

select given_model() as m \gset
select waits(:'m', 'young', 1, p_rank => 5, p_ready => at(9999)),
  waits(:'m', 'old', 1, p_rank => 5) \g /dev/null
select is((select array_agg(distinct h.tenant) from generate_series(1, 100) n
  cross join lateral unnest(sluice.old_lanes(id_of(:'m'), 0::smallint, 100::smallint, 64,
    at(10000 + n / 1000.0))) h),
  array[sluice.tenant_key('old')], 'five steps and more');
select is(sluice.old_lanes(id_of(:'m'), 0::smallint, 0::smallint, 64, at(10000)), '{}',
  'no rank beyond the last');

select * from finish();
rollback;
