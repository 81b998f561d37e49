-- sluice.take_turns
begin;
\ir ../../_helpers.sql
\ir ../../4_policy/fair_share/_fair_turns.sql
select plan(4);

select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select waits(:'m', 'a', 200), waits(:'m', 'b', 200), waits(:'m', 'c', 1) \g /dev/null
select claimed(:w, 1, at(1 + n)) from generate_series(1, 101) n \g /dev/null
select waits(:'m', 'c', 50) \g /dev/null
create function next(p_worker bigint, p_from int, p_count int, p_max int default 1)
returns table (tenant text, tasks bigint) language plpgsql
as $$
declare
  v_ids bigint[] := '{}';
begin
  for n in 1 .. p_count loop
    v_ids := v_ids || claimed(p_worker, p_max, at(p_from + n));
  end loop;
  return query select l.tenant, count(*) from sluice.lease l
    where l.task_id = any (v_ids) group by 1;
end
$$;
select ok(bool_and(tasks between 9 and 11) and count(*) = 3,
  'it shares from now on: ' || string_agg(tenant || tasks, ' '))
from next(:w, 200, 30);
select waits(:'m', 'd', 5) \g /dev/null
select ok(tasks between 1 and 2, 'so does who is new') from next(:w, 300, 4) where tenant = 'd';
delete from sluice.tenant_clock;
select results_eq(format('select * from next(%s, 400, 12) order by 1', :w),
  $$values ('a', 3::bigint), ('b', 3), ('c', 3), ('d', 3)$$, 'after a crash all begin equal');
select next(:w, 500, 40) \g /dev/null
select waits(:'m', 'e', 50) \g /dev/null
select ok(tasks between 6 and 10, 'who is new shares likewise in a claim of many: ' || tasks)
from next(:w, 600, 3, 10) where tenant = 'e';

select * from finish();
rollback;
