-- A caller's settings choose how his statement is planned, and EXPLAIN ANALYZE counts what each
-- node did: a merge stopped at another's task, which told its place and its model.
\set alone
begin;
\ir ../../_helpers.sql

select given_model() as m \gset
select given_model() as n \gset
select given_tenant('sluice_reader', 'sluice_submitter') as a \gset
select given_tenant('sluice_submitter') as b \gset
select given_worker(array[:'m', :'n']) as w \gset

-- Of each kind two, of which the second is of another model. (How large its texts are the memory
-- of a sort tells: docs/security.md.)
select given_task(:'m', tenant => :'b', max_attempts => 1) as ended_1,
  given_task(:'n', tenant => :'b', max_attempts => 1) as ended_2 \gset
select claimed(:w, 2) \g /dev/null
select completed(:w, told(:ended_1, 'failed', error => 'x')),
  completed(:w, told(:ended_2, 'failed', error => 'x')) \g /dev/null
select given_task(:'m', tenant => :'b') as called_1,
  given_task(:'n', tenant => :'b') as called_2 \gset
select claimed(:w, 2) \g /dev/null
select given_task(:'m', tenant => :'b', run_at => at(1000)) as later_1,
  given_task(:'n', tenant => :'b', run_at => at(1000)) as later_2 \gset
select min(id) as call_1, max(id) as call_2 from sluice.attempt
where task_id in (:ended_1, :ended_2) \gset

create temporary table pair (view text, first bigint, second bigint) on commit drop;
insert into pair values ('tasks', :ended_1, :ended_2), ('dead_letters', :ended_1, :ended_2),
  ('tasks', :called_1, :called_2), ('tasks', :later_1, :later_2), ('attempts', :call_1, :call_2);
create temporary table planner (name text, off text[]) on commit drop;
insert into planner values ('merges', '{nestloop,hashjoin,bitmapscan,seqscan,material}'),
  ('sorts', '{nestloop,hashjoin,bitmapscan,indexscan,indexonlyscan,material}'),
  ('hashes', '{nestloop,mergejoin}'), ('remembers', '{hashjoin,mergejoin,seqscan}');
-- revisions, budget_events: for administrators alone; nothing of them is read for anybody else.
create temporary table barrier on commit drop as select c.relname::text as view from pg_class c
  where c.relkind = 'v' and c.relnamespace = 'sluice'::regnamespace
    and c.reloptions @> '{security_barrier=true}'
    and c.relname not in ('revisions', 'budget_events');
-- Of tasks the join itself tells nothing: what it joins has the same ids on both sides.
create temporary table joined on commit drop as select 'tasks' as view union select 'dead_letters';
grant select on pair, planner, barrier, joined to public;

-- plan_of: the plan of p_sql as it ran, by a planner that may not use what is off.
create function plan_of(p_sql text, p_off text[]) returns setof text language plpgsql
as $$
begin
  perform set_config('enable_' || k, case when k = any (p_off) then 'off' else 'on' end, true)
  from unnest(array['nestloop', 'hashjoin', 'mergejoin', 'bitmapscan', 'seqscan', 'indexscan',
    'indexonlyscan', 'material', 'memoize']) k;
  set local join_collapse_limit = 1;
  set local work_mem = '64kB';
  -- not the buffers, which PostgreSQL 18 tells unasked: some pages are looked up once a session
  return query execute 'explain (analyze, costs off, timing off, summary off, buffers off) '
    || p_sql;
end
$$;

select plan(2 * (select count(*)::int from planner, barrier where view not in (table joined))
  + (select count(*)::int from planner, pair) + 1);
set local role :"a";
select is(array(select regexp_replace(l, ' = \d+\)', ' = ID)') from plan_of(format(
    'select * from sluice.%I where id = %s', t.view, t.first), p.off) l),
  array(select regexp_replace(l, ' = \d+\)', ' = ID)') from plan_of(format(
    'select * from sluice.%I where id = %s', t.view, t.second), p.off) l),
  format('%s: two of %s', p.name, t.view))
from planner p cross join pair t;
-- Nothing that joins, sorts or keeps rows of everybody, whatever the rows.
select is(array(select l from plan_of(format('select * from sluice.%I', b.view), p.off) l
    where l ~ 'Merge Join|Hash|Sort|Memoize'), '{}', format('%s: %s', p.name, b.view))
from planner p join barrier b on b.view not in (table joined);
-- Whoever stops at his own row would count those before it. By id and time that is known.
select is(array(select l from plan_of(format('select * from sluice.%I', b.view), p.off) l
    where l ~ 'a_step_has_one_row|attempt_of_task'), '{}',
  format('%s: order of %s', p.name, b.view))
from planner p join barrier b on b.view not in (table joined);
reset role;
select is((select count(*)::int from sluice.tasks t where t.id in (:ended_1, :called_2, :later_2)
  and t.model = case t.id when :ended_1 then :'m' else :'n' end), 3, 'who may see them does');

select * from finish();
rollback;
