begin;
\ir ../../_helpers.sql
select plan(2);

select is(sluice.mark_lag(), '250 milliseconds',
  'a submit has 250 ms to commit before only the sweep finds it');
select is(provolatile, 'i', 'the planner can fold it into a constant') from pg_proc
where oid = 'sluice.mark_lag'::regproc;

select * from finish();
rollback;
