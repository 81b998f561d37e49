begin;
\ir ../_helpers.sql
select plan(6);

-- The purposes are read from the function's text, so that a new one is tested, too.
create temp table class on commit drop as
select m[1] as purpose, sluice.lock_class(m[1]) as class
from pg_proc p, regexp_matches(p.prosrc, 'when ''(\w+)''\s+then \d+', 'g') m
where p.oid = 'sluice.lock_class'::regproc;

select is((select count(class) from class),
  (select regexp_count(regexp_replace(prosrc, '--[^\n]*', '', 'g'), '\mwhen\M')::bigint
   from pg_proc where oid = 'sluice.lock_class'::regproc), 'every purpose has a class');
select is((select count(distinct class) from class), (select count(*) from class),
  'no two share one');
select is_empty($$
  select p.proname, m[1] from pg_proc p,
    regexp_matches(p.prosrc, 'sluice\.lock_class\(''(\w+)''\)', 'g') m
  where p.pronamespace = 'sluice'::regnamespace and sluice.lock_class(m[1]) is null $$,
  'every purpose for which a function takes a lock has a class');
select is(sluice.lock_class('nonsense'), null,
  'an unknown purpose has none, so a typing error takes no lock');
select is(provolatile, 'i', 'the planner can fold it into a constant')
from pg_proc where oid = 'sluice.lock_class'::regproc;

-- twin: sleeper_class
select is(sluice.sleeper_class(), sluice.lock_class('sleeper'), 'written out for submit');

select * from finish();
rollback;
