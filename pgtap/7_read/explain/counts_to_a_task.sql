begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_task(:'m') as a, given_task(:'m', p_now => at(1)) as b,
  given_task(:'m', p_now => at(2)) as c \gset
select is(sluice.count_lane((sluice.lane_heads(id_of(:'m'), 1))[1]), 3, 'all');
select is(sluice.count_lane((sluice.lane_heads(id_of(:'m'), 1))[1], at(1), :b), 1,
  'those before it');

select * from finish();
rollback;
