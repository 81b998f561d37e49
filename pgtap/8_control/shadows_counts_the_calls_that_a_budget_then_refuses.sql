-- sluice.count_over_budget, sluice.ended_budget_calls, sluice.budget_calls_max
begin;
\set alone
\ir ../_helpers.sql
\ir ../_budgets.sql
\ir ../_shadows.sql
select plan(7);

select given_priced_model() as m \gset
select given_budget('model', :'m', 1000000) as b \gset
-- spent_on: a hundred tasks, one after the other, each of which may cost 100 and costs 50.
create function spent_on(p_model text, p_start numeric) returns void language plpgsql
as $$
declare
  v_worker bigint := given_worker(array[p_model], at(p_start));
begin
  for k in 1 .. 100 loop
    perform given_task(p_model, prompt => repeat('x', 30), max_output_tokens => 6,
      p_now => at(p_start + k));
    perform sluice.claim(v_worker, null, 1, at(p_start + k + 0.1));
    perform sluice.complete(v_worker, array(select told(l.task_id, 'solved', l.fence,
      input_tokens => 40, output_tokens => 10) from sluice.lease l where l.worker = v_worker),
      at(p_start + k + 0.2));
    perform sluice.heartbeat(v_worker, at(p_start + k));
    perform sluice.look_at_shadows(at(p_start + k + 0.5)) where k % 30 = 0;
  end loop;
  perform sluice.look_at_shadows(at(p_start + 200));
end
$$;
select sluice.start_shadow('budgets', :'b', '{"limit_nanos": 3000, "at_limit": "refuse"}',
    p_now => at(0)) as refuse,
  sluice.start_shadow('budgets', :'b', '{"limit_nanos": 3000}', p_now => at(0)) as park \gset
select spent_on(:'m', 0);
select * from sluice.shadows(:refuse) \gset refuse_
select * from sluice.shadows(:park) \gset park_
select is(array[:refuse_calls, :park_calls, :refuse_delayed, :park_refused, :park_moved],
  array[100, 100, 0, 0, 0], 'each call counts once');
select is(:refuse_refused, 41, 'spent and held stay within the limit');
select is(:park_delayed, 41, 'or they would wait');
select ok(:park_delay_s between 41 * 86300 and 41 * 86400, 'until the next day');
select sluice.apply_shadow(:refuse, p_now => at(300)) \g /dev/null
select spent_on(:'m', 86400);
select is((select count(*) from sluice.result where model = :'m' and error_code = 'over_budget'),
  :refuse_refused::bigint, 'then as many are refused');
select sluice.drop_shadow(:park) \g /dev/null
update sluice.budgets set limit_nanos = 1000000 where name = :'b';
select sluice.start_shadow('budgets', :'b', '{"limit_nanos": 3000}', p_now => at(172800))
  as park \gset
select spent_on(:'m', 172800);
select is((select refused from sluice.shadows(:park)), 41::bigint, 'with each day it begins anew');
select is((select count(*) from sluice.ended_budget_calls((select s from sluice.shadow s limit 1),
  (budget_row(:'b')).id, at(999999), 0)), 0::bigint, 'a look may read a part');
-- budget_calls_max

select * from finish();
rollback;
