begin;
\ir ../_helpers.sql
select plan(1);

create function plan_of(p_sql text) returns setof text language plpgsql
as $$ begin return query execute 'explain (verbose, costs off) ' || p_sql; end $$;
select is_empty($$select p from plan_of(
  'select sluice.since_look_ms(clock_timestamp()) between 0 and 2000') p
  where p like '%since_look_ms%'$$,
  'a submit that wakes a sleeper parses and plans nothing for it');

select * from finish();
rollback;
