-- sluice.tell_workers
begin;
\ir ../../_helpers.sql
select plan(1);

-- That workers hear of it, tests/e2e/test_events.py shows.
select matches(pg_get_triggerdef(oid),
  'AFTER UPDATE ON .*settings FOR EACH ROW WHEN \(\(old\.\* IS DISTINCT FROM new\.\*\)\)',
  'not of an update that changed nothing')
from pg_trigger where tgname = 'after_settings_change';

select * from finish();
rollback;
