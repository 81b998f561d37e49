-- sluice.take_turns
begin;
\ir ../../_helpers.sql
\ir ../../4_policy/fair_share/_fair_turns.sql
select plan(1);

-- Two lanes whose first tasks are alike, so a claim of 100 looks at 69 rows of each. But the others
-- of one are a hundredth as long: its seventieth comes before the other's third.
select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select waits(:'m', 'mixed', 1, 400), waits(:'m', 'mixed', 150, 4, p_ready => at(1)),
  waits(:'m', 'even', 150, 400) \g /dev/null
select claimed(:w, 100, at(60)) \g /dev/null
select results_eq(format('select tenant, count(*) from sluice.lease where model = %s '
                         'group by 1 order by 1', id_of(:'m')),
  $$values ('even', 2::bigint), ('mixed', 98)$$, 'it looks again');

select * from finish();
rollback;
