-- sluice.extra_fits, sluice.hold_extras, sluice.settle_budgets
begin;
\ir ../_helpers.sql
\ir ../_budgets.sql
select plan(3);

-- read: how many rows of budget_call were read since this was called last.
create function read() returns bigint language plpgsql
as $$
declare
  v_before bigint := coalesce(nullif(current_setting('test.read', true), ''), '0');
  v_now bigint := (select seq_tup_read + idx_tup_fetch from pg_stat_xact_user_tables
    where relid = 'sluice.budget_call'::regclass);
begin
  perform set_config('test.read', v_now::text, true);
  return v_now - v_before;
end
$$;

-- The plans are those of a session that began when nothing had been called.
set local plan_cache_mode = force_generic_plan;
select given_priced_model() as m \gset
select given_budget('model', :'m', 1000000) as b, given_worker(array[:'m']) as w \gset
select given_hedging(:'m') \g /dev/null
update sluice.models set hedge_budget = 1 where name = :'m';
select given_calls(:'m', 1) as first, given_calls(:'m', 20) as ids \gset
select claimed(:w, 1, at(2)) \g /dev/null
select sluice.hedge(:w, (:'first'::bigint[])[1], 1, at(2)),
  completed(:w, told((:'first'::bigint[])[1], 'solved', input_tokens => 9, output_tokens => 1),
    at(2)) \g /dev/null

insert into sluice.budget_call (task_id, fence, call, budget, model, at, nanos, state,
  ended_at)
select -n, 1, 0, (budget_row(:'b')).id, :'m', at(2), 1, 'spent', at(2)
from generate_series(1, 5000) n;
select claimed(:w, 20, at(3)), read() \g /dev/null
select is((select count(*) from sluice.hedge_many(:w, :'ids', array_fill(1, array[20]), at(3))),
  20::bigint, '20 extra calls');
select cmp_ok(read(), '<', 200::bigint, 'find those of their tasks among a day''s');
select sluice.complete(:w, array(
  select told(t, 'solved', input_tokens => 9, output_tokens => 1)
  from unnest(:'ids'::bigint[]) t), at(4)) \g /dev/null
select cmp_ok(read(), '<', 400::bigint, 'completions, too');

select * from finish();
rollback;
