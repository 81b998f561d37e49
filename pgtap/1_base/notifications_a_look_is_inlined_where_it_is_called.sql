begin;
\ir ../_helpers.sql
select plan(1);

create function plan_of(p_sql text) returns setof text language plpgsql
as $$ begin return query execute 'explain (verbose, costs off) ' || p_sql; end $$;
select is_empty($$select p from plan_of('select sluice.was_looked_at(clock_timestamp())') p
  where p like '%was_looked_at%'$$,
  'a submit that wakes a sleeper parses and plans nothing for it');

select * from finish();
rollback;
