-- sluice.look_at_budgets, sluice.wake_waiting, sluice.waiting_by_turns, sluice.waits_max,
-- sluice.wake_all_waiting, sluice.wake_left, sluice.waits_for_time
begin;
\ir ../_helpers.sql
\ir ../_budgets.sql
select plan(37);

select given_priced_model() as m \gset
select given_budget('model', :'m', 1000) as b, given_worker(array[:'m']) as w \gset
select given_calls(:'m', 15) as ids \gset
-- waiting: which of these tasks wait until the budget opens, by their places.
create function waiting(p_ids bigint[]) returns int[] language sql
as $$
  select array(select array_position(p_ids, l.task_id) from sluice.later l
    where l.task_id = any (p_ids) and l.ready_at = '2040-01-02 00:00Z' order by 1)
$$;
select is(cardinality(claimed(:w, 20)), 10, 'ten calls are under way');
select is(waiting(:'ids'), '{11,12,13,14,15}', 'five tasks wait, not only for some seconds');
select is(sluice.look_at_budgets(at(3)), 0, 'nothing is left for them');
select completed(:w, told((:'ids'::bigint[])[1], 'solved', input_tokens => 10, output_tokens => 5),
  at(3)) \g /dev/null
select is(sluice.look_at_budgets(at(3)), 0, '85 are too little');
select completed(:w, told(i, 'failed', error => 'HTTP 400', billed => false), at(3))
from unnest((:'ids'::bigint[])[2:3]) i \g /dev/null
update sluice.budget_wait set rank = -100 where task_id = (:'ids'::bigint[])[13];
select is(sluice.look_at_budgets(at(4)), 2, '285 are enough for two of them');
select is(waiting(:'ids'), '{12,14,15}', 'those of a higher priority, then the oldest');
select is(sluice.look_at_budgets(at(5)), 0, 'they count until a claim has met them');
select is(sluice.wake(at(5)), 2, 'they come back');
select is(cardinality(claimed(:w, 20, at(6))), 2, 'and are called');
select is((select count(*)::int from sluice.budget_wait where task_id = any (:'ids'::bigint[])), 3,
  'then they wait no longer');
select completed(:w, told(i, 'failed', error => 'HTTP 400', billed => false), at(7))
from unnest((:'ids'::bigint[])[4:4]) i \g /dev/null
select sluice.cancel((:'ids'::bigint[])[12], at(7)) \g /dev/null
select is_empty(format('select from sluice.budget_wait where task_id = %s',
  (:'ids'::bigint[])[12]), 'nor does one that was cancelled');
select is(sluice.look_at_budgets(at(8)), 1, 'one that was cancelled takes no room');
select is(waiting(:'ids'), '{15}', 'of another');
update sluice.budget_wait set need = 400 where task_id = (:'ids'::bigint[])[15];
select is(sluice.look_at_budgets(at(9)), 0, 'what does not fit stays');
select is(sluice.wake(timestamptz '2040-01-02 00:00Z'), 2, 'until the budget opens');

-- marks
select marks_hit as none from sluice.budget_rows(:'b', at(9)) \gset
update sluice.budgets set marks = '{1,50}' where name = :'b';
savepoint before;
select sluice.look_at_budgets(at(9)) \g /dev/null
rollback to before;
select sluice.look_at_budgets(at(s)) from generate_series(9, 11) s \g /dev/null
select results_eq(format('select event, per_cent, at from sluice.budget_events where budget = %L',
  :'b'), $$values ('mark', 1, at(9))$$, 'what is spent reaches marks, each told once');

-- calls under way that then spend all
select given_priced_model() as n \gset
select given_budget('model', :'n', 1000, at_limit => 'refuse') as refusing,
  given_worker(array[:'n']) as x \gset
select given_calls(:'n', 11) as calls \gset
select claimed(:x, 20, at(20)) \g /dev/null
select is(places((:'calls'::bigint[])[11]), 'later', 'one waits beside ten calls');
select is(sluice.look_at_budgets(at(21)), 0, 'while they are under way');
select completed(:x, told(i, 'solved', input_tokens => 94, output_tokens => 6), at(22))
from unnest((:'calls'::bigint[])[1:10]) i \g /dev/null
select is(sluice.look_at_budgets(at(23)), 1, 'and is looked at again when they have spent all');
select sluice.wake(at(23)) \g /dev/null
select claimed(:x, 5, at(24)) \g /dev/null
select is((select status from sluice.result where task_id = (:'calls'::bigint[])[11]), 'failed',
  'a budget that refuses does so then');

-- a time that rolls
select given_budget('tenant', 'rolls', 1000, period => 'rolling', rolling => '1 hour') as rolling
\gset
insert into sluice.budget_spent (budget, at, nanos)
values ((budget_row(:'rolling')).id, at(0), 150), ((budget_row(:'rolling')).id, at(60), 800);
update sluice.budgets set limit_nanos = 1000000 where name = :'b';
select given_calls(:'m', 3, 'rolls') as rolled \gset
select claimed(:w, 20, at(100)) \g /dev/null
select is(array(select ready_at from sluice.later where task_id = any (:'rolled'::bigint[])
  order by ready_at), array[at(3600) + interval '1 microsecond', at(3700), at(3700)],
  'one of them is due when it opens, the others when all that counts has left');
select is((select exhausted_at from sluice.budget_rows(:'rolling', at(101))), at(100),
  'it is exhausted');
select ok(sluice.waits_for_time(), 'nobody may rest meanwhile');
select is(sluice.wake(at(3601)), 1, 'the one comes, others stay');
select is(cardinality(claimed(:w, 20, at(3602))), 1, 'is called');
select is(sluice.look_at_budgets(at(3661)), 2, 'and when more has left, the others follow');

-- turns
update sluice.budget_wait set rank = 0;
select given_tenant() as t1, given_tenant() as t2, given_tenant() as t3 \gset
update sluice.tenants set weight = 3 where name = :'t3';
select given_budget('tag', 'x=y', 1000) as tag \gset
create function waits(p_tenant text, p_rank int, p_ids int[], p_need int default 100) returns void
language sql as $$
  insert into sluice.budget_wait (task_id, budget, until, reason, need, rank, tenant)
  select -i, (budget_row((select max(name) from sluice.budgets where scope = 'tag'))).id,
    at(86400), '', p_need, p_rank, p_tenant from unnest(p_ids) i;
$$;
-- firsts: how often in a hundred looks a task of p_tenant is the first; five sigma are 25.
create function firsts(p_tenant text) returns bigint language sql as $$
  select count(*) filter (where w.tenant = p_tenant) from generate_series(1, 100) look
  cross join lateral (
    select task_id from sluice.waiting_by_turns((budget_row((select max(name) from sluice.budgets
      where scope = 'tag'))).id, 1000 + look, at(0)) limit 1) first
  join sluice.budget_wait w using (task_id)
$$;
-- firsts_of: the same of one task.
create function firsts_of(p_task_id bigint) returns bigint language sql as $$
  select count(*) filter (where first.task_id = p_task_id) from generate_series(1, 100) look
  cross join lateral (
    select task_id from sluice.waiting_by_turns((budget_row((select max(name) from sluice.budgets
      where scope = 'tag'))).id, 1000 + look, at(0)) limit 1) first
$$;
select waits(:'t1', 0, array(select generate_series(1001, 4000)));
select waits(:'t2', 0, array(select generate_series(1, 10)));
select ok((select count(*) between 511 and 611
  from sluice.waiting_by_turns((budget_row(:'tag')).id, 1000, at(0))),
  'each lane has its part of what is read');
delete from sluice.budget_wait where tenant = :'t1' and task_id > -3980;
select ok(firsts(:'t2') between 25 and 75,
  'a tenant''s long backlog and the few younger tasks of another go on by turns');
select waits(:'t3', 0, array(select generate_series(11, 20)));
select ok(firsts(:'t3') between 35 and 85, 'turns are weighed');
update sluice.budget_wait set need = 300 where tenant = :'t1';
select ok(firsts(:'t1') < 25, 'and what their calls may cost counts');
update sluice.budget_wait set rank = -1 where tenant = :'t1';
select is(firsts(:'t1'), 100::bigint, 'a higher priority comes first');
delete from sluice.budget_wait where budget = (budget_row(:'tag')).id;
select waits(:'t1', 0, '{20}', 300), waits(:'t1', 0, '{19}', 1) \g /dev/null
select is(firsts_of(-20), 100::bigint, 'a cheaper task overtakes no older one of its tenant');

-- waits that a change of their budget has not met
delete from sluice.budget_wait where task_id < 0;
select given_budget('tenant', 'late', 1000) as late, given_calls(:'m', 3, 'late') as lates \gset
insert into sluice.budget_spent values ((budget_row(:'late')).id, at(3999), 1000);
select claimed(:w, 20, at(4000)) \g /dev/null
create temporary table parked as select w.* from sluice.budget_wait w
where w.task_id = any (:'lates'::bigint[]);
select is(count(*)::int, 3, 'three wait for a budget') from parked;
-- come_late: as a claim leaves them that began before the change and commits behind it.
create function come_late() returns void language sql
begin atomic
  update sluice.later l set ready_at = p.until from parked p where l.task_id = p.task_id;
  insert into sluice.budget_wait select * from parked on conflict do nothing;
end;
create function look(p_now timestamptz) returns int language plpgsql as $$
begin
  perform setval('sluice.sweep_after', 0), sluice.sweep(p_now);
  return (select count(*) from sluice.later l join parked p on l.task_id = p.task_id
    and l.ready_at = p_now);
end
$$;
select is(look(at(4001)), 0, 'a budget that is exhausted keeps them');
update sluice.budgets set is_hard = false where name = :'late';
select come_late();
select is(look(at(4002)), 3, 'what waits for a budget that is no longer hard goes on');
delete from sluice.budgets;
select come_late();
select is(look(at(4003)), 3, 'and so does what waits for one that is gone');
select is_empty('select from sluice.budget_wait w join parked p using (task_id)',
  'nothing waits any longer');

select * from finish();
rollback;
