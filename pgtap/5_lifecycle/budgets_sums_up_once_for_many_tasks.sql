-- sluice.over_opens_at, sluice.over_max, sluice.over_models, sluice.note_over
begin;
\ir ../_helpers.sql
\ir ../_budgets.sql
select plan(6);

-- When a budget opens takes milliseconds to find where many calls count: it is counted.
create temporary table found (need numeric);
grant all on found to public;
alter function sluice.budget_opens_at rename to opens_for_real;
create function sluice.budget_opens_at(
  p_budget sluice.budgets, p_need numeric, p_now timestamptz) returns timestamptz language plpgsql
as $$
begin
  insert into pg_temp.found values (p_need);
  return sluice.opens_for_real(p_budget, p_need, p_now);
end
$$;
-- looks: how often it was looked for since this was called last.
create function looks() returns bigint language sql
as $$
  with gone as (delete from pg_temp.found returning need)
  select count(*) from gone
$$;

select given_priced_model() as m, given_priced_model() as cheap, given_tenant() as t \gset
select given_worker(array[:'m']) as w \gset
select given_budget('tenant', :'t', 1000, period => 'rolling', rolling => '1 day') as b \gset
select count(given_task(:'m', tenant => :'t', max_output_tokens => 1000 + n))
from generate_series(1, 20) n \g /dev/null
select claimed(:w, 50, at(2)) \g /dev/null
select is((select count(distinct error) from sluice.tasks where status = 'failed'), 20::bigint,
  'each task that is larger than its budget''s limit is told what it may cost');
select is(looks(), 0::bigint, 'and not when that opens');

insert into sluice.budget_spent (budget, at, nanos) values ((budget_row(:'b')).id, at(0), 990);
insert into sluice.fallbacks (target, cause, to_model) values (:'m', 'over_budget', :'cheap');
delete from sluice.mark;  -- what comes as of at(0) may lie below one
select given_calls(:'m', 20, :'t') \g /dev/null
select claimed(:w, 50, at(3)) \g /dev/null
select is((select count(*) from sluice.attempt where fallback_to = :'cheap'), 20::bigint,
  'tasks over what is left of it go to another model');
select cmp_ok(looks(), '<=', 2::bigint, 'for a reason that is found once');

delete from sluice.fallbacks where target = :'m';
delete from sluice.later;
delete from sluice.mark;
select given_calls(:'m', 900, :'t') \g /dev/null
select claimed(:w, 1000, at(3)) \g /dev/null
select is((select count(*) from sluice.later), sluice.over_max()::bigint,
  'a claim moves some of many away');
delete from sluice.mark;
-- Each in a transaction of its own, as it were.
select set_config('sluice.over_models_now', '', true), claimed(:w, 2, at(3))
from generate_series(1, 4) \g /dev/null
select is((select count(*) from sluice.later), 900::bigint,
  'and the next ones the others, many at a time however few they want');

select * from finish();
rollback;
