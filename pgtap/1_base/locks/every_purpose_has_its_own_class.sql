begin;
\ir ../../_helpers.sql
select plan(4);

create temp table class on commit drop as
select p as purpose, sluice.lock_class(p) as class
from unnest(array['model', 'admit', 'route', 'sleeper', 'watcher', 'sweep', 'partitions', 'tick',
  'migrate', 'tenant', 'retain', 'count', 'notifier', 'batch', 'mend', 'job']) p;

select is((select count(class) from class), 15::bigint, 'every purpose has a class');
select is((select count(distinct class) from class), 15::bigint, 'no two share one');
select is(sluice.lock_class('nonsense'), null,
  'an unknown purpose has none, so a typing error takes no lock');
select is(provolatile, 'i', 'the planner can fold it into a constant')
from pg_proc where oid = 'sluice.lock_class'::regproc;

select * from finish();
rollback;
