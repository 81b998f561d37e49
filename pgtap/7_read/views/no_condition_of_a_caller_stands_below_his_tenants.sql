-- EXPLAIN ANALYZE shows where a condition was checked and how many rows passed it: over rows of
-- other tenants that is a leak.
begin;
\ir ../../_helpers.sql

select given_model() as m \gset
select given_tenant('sluice_reader') as a \gset
select given_tenant('sluice_submitter') as b \gset
select sluice.submit('SECRETPROMPT-b', :'m', tenant => :'b') as foreign \gset

-- conditions_of: the conditions in the plan of p_sql, as it ran, each with the node that checks it.
create function conditions_of(p_sql text) returns table (node text, condition text) language plpgsql
as $$
declare
  v_line text;
begin
  for v_line in execute 'explain (analyze, costs off, timing off, summary off) ' || p_sql loop
    if v_line ~ '->|^\S' then
      node := v_line;
    elsif v_line ~ 'Filter: |Cond: ' then
      condition := v_line;
      return next;
    end if;
  end loop;
end
$$;

-- The conditions of a caller that PostgreSQL knows to be leakproof, over each type of a guarded
-- column.
create function condition_on(p_column name, p_type regtype) returns text language sql
as $$
  select case p_type
    when 'text'::regtype then format('%I = ''witness''', p_column)
    when 'jsonb'::regtype then format('%I = ''{"witness": 1}''', p_column)
    when 'timestamptz'::regtype then format('%I = ''2001-02-03''', p_column)
    when 'boolean'::regtype then format('%I', p_column)
    else format('%I = 741852', p_column) end
$$;

create temporary table guarded_column on commit drop as
  select c.relname::text as view, a.attname as name, a.atttypid::regtype as type
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
  -- These two are for administrators alone: nothing of them is read for anybody else.
  where c.relkind = 'v' and c.relnamespace = 'sluice'::regnamespace
    and c.relname not in ('revisions', 'budget_events')
    and c.reloptions @> '{security_barrier=true}' and a.attname not in ('id', 'status')
    and not (c.relname ~ 'history' and a.attname in ('step', 'at'));
grant select on guarded_column to public;
select plan(1 + (select count(*)::int from guarded_column));

set local role :"a";
-- Where a view gives its rows out the condition may stand, and nowhere else.
select is(
  array(select c.node from conditions_of(format('select 1 from sluice.%I where %s', g.view,
    condition_on(g.name, g.type))) c
        where c.condition ~ case g.type when 'boolean'::regtype then '\m' || g.name || '\M'
            else 'witness|741852|2001-02-03' end
          and c.node !~ ('Subquery Scan on (tasks|' || g.view || ') |never executed')),
  '{}'::text[], format('%s.%s', g.view, g.name))
from guarded_column g;
reset role;
select is(array(select id from sluice.tasks where id = :foreign and prompt >= 'SECRETPROMPT-b'),
  array[:foreign::bigint], 'who may see it finds it by the same condition');

select * from finish();
rollback;
