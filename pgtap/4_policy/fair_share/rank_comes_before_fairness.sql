-- sluice.fair_turns
begin;
\ir ../../_helpers.sql
\ir _fair_turns.sql
select plan(3);

select given_model() as m \gset
select waits(:'m', 'a', 100, p_rank => 0), waits(:'m', 'a', 5, p_rank => -1),
  waits(:'m', 'b', 100, p_rank => 1) \g /dev/null
select is((select array_agg(rank order by place) from turns(:'m', 8)),
  array[-1, -1, -1, -1, -1, 0, 0, 0], 'strictly');
select is((select count(*) from turns(:'m', 100) where tenant = 'b'), 0::bigint,
  'a lower priority gets what is left: nothing');
select cardinality(claimed(given_worker(array[:'m']), 120, at(60))) as n \gset
select is((select count(*) from sluice.lease where model = id_of(:'m') and tenant = 'b'),
  15::bigint, 'or something');

select * from finish();
rollback;
