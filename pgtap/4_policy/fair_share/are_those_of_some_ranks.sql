begin;
\ir ../../_helpers.sql
\ir ../../4_policy/fair_share/_fair_turns.sql
select plan(3);

-- 600 s a step of age: of the lane of rank 1 the old ones share in rank 0.
select given_model() as m \gset
select waits(:'m', 'a', 5, p_ready => at(1000)), waits(:'m', 'old', 2, p_rank => 1),
  waits(:'m', 'old', 2, p_rank => 1, p_ready => at(1000)) \g /dev/null
create function turned(p_model text, p_chosen boolean[], p_worst int) returns table (tenant bigint,
  tasks bigint) language sql
as $$ select t.tenant, count(*)
  from unnest(sluice.turns_of(id_of(p_model), sluice.lane_heads(id_of(p_model), 9), '{}',
  9, p_chosen, 0::smallint, p_worst::smallint, '600 s', at(1001))) t group by 1 $$;
select is((select sum(tasks) from turned(:'m', '{true,false}', 0)), 5::numeric,
  'of the lanes that are chosen');
select is((select tasks from turned(:'m', '{true,true}', 0)
  where tenant = sluice.tenant_key('old')), 2::bigint, 'those that age lifts far enough');
select is((select tasks from turned(:'m', '{true,true}', 100)
  where tenant = sluice.tenant_key('old')), 4::bigint, 'or all');

select * from finish();
rollback;
