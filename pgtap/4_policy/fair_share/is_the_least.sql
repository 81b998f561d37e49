begin;
\ir ../../_helpers.sql
\ir ../../4_policy/fair_share/_fair_turns.sql
select plan(1);

select given_model() as m \gset
select waits(:'m', 'a', 1, p_rank => 3), waits(:'m', 'b', 1, p_rank => -2) \g /dev/null
select is(sluice.best_rank(sluice.lane_heads(id_of(:'m'), 9)), -2::smallint, 'of those that wait');

select * from finish();
rollback;
