-- sluice.spared_calls, sluice.fallback_of, sluice.attempts
begin;
\ir ../../_helpers.sql
select plan(4);

-- As of somebody who cancels and redrives three tasks again and again.
insert into sluice.attempt (task_id, ended_at, fence, kind, model)
select -1 - n % 3, at(0), 1, 'redriven', 'm' from generate_series(1, 30000) n;
analyze sluice.attempt;
create function read_by(p_call text) returns bigint language plpgsql as $$
declare
  v_before bigint;
begin
  select seq_tup_read + idx_tup_fetch into v_before from pg_stat_xact_user_tables
  where relid = 'sluice.attempt'::regclass;
  execute p_call;
  return (select seq_tup_read + idx_tup_fetch - v_before from pg_stat_xact_user_tables
    where relid = 'sluice.attempt'::regclass);
end $$;
select given_model() as m \gset
select given_task(:'m') as task \gset
set local plan_cache_mode = force_generic_plan;
select cmp_ok(read_by(format('select * from sluice.spared_calls(%s, ''x'', null)', :task)), '<',
  10::bigint, 'beside 30,000 others');
select cmp_ok(read_by('select * from sluice.spared_calls(-1, ''x'', null)'), '<', 10::bigint,
  'nor those of its own before the last redrive');
select cmp_ok(read_by(format('select * from sluice.fallback_of(
  (select sluice.facts_of(t) from sluice.task t where t.id = %s), model_row(%L), ''timeout'')',
    :task, :'m')), '<', 10::bigint, 'so a fallback');
select cmp_ok(read_by(format('select * from sluice.attempts(%s)', :task)), '<', 10::bigint,
  'and a list');

select * from finish();
rollback;
