-- sluice.reroute_over, sluice.fallback_of
-- The attack: 1,200 tasks a second that no budget lets be called, and a fallback. For each one all
-- statements of fallback_of were planned anew, 0.5 ms, and others' tasks began up to 4 s late.
begin;
\set alone
\ir ../_helpers.sql
\ir ../_budgets.sql
set local track_functions = 'all';
select plan(3);

-- ms_in_fallback_of: how long all calls of fallback_of in this transaction took.
create function ms_in_fallback_of(out calls bigint, out ms double precision) language sql
as $$
  select coalesce(sum(f.calls), 0)::bigint, coalesce(sum(f.total_time), 0)
  from pg_stat_xact_user_functions f where f.funcname = 'fallback_of'
$$;

select given_priced_model() as m, given_priced_model() as cheap \gset
select given_budget('model', :'m', 1000) as b, given_worker(array[:'m']) as w \gset
insert into sluice.budget_spent (budget, at, nanos) values ((budget_row(:'b')).id, at(0), 950);
insert into sluice.fallbacks values (:'m', 'over_budget', :'cheap');
set local plan_cache_mode = force_generic_plan;
select given_calls(:'m', 400) as ids \gset
select count((sluice.fallback_of(sluice.facts_of(t), (select m from sluice.models m
    where m.name = :'m'), 'over_budget', budget_row(:'b'))).name) as found
from sluice.task t where t.id = any (:'ids') \gset
select is(:found, 400, 'all have one');
select calls as calls, ms as ms from ms_in_fallback_of() \gset
select claimed(:w, 400, at(1)) \g /dev/null
select calls as calls_1, ms as ms_1 from ms_in_fallback_of() \gset
select given_calls(:'m', 400) as more \gset
select claimed(:w, 400, at(2)) \g /dev/null
select is(count(*), 400::bigint, 'a claim sends all to it')
from sluice.attempt a where a.kind = 'rerouted' and a.task_id = any (:'ids');
-- the least of two, for the machine may be busy with something else
select ok(least((:ms_1 - :ms) / (:calls_1 - :calls), (s.ms - :ms_1) / (s.calls - :calls_1))
  < 3 * :ms / :calls, 'and each costs no more than it does by itself') from ms_in_fallback_of() s;

select * from finish();
rollback;
