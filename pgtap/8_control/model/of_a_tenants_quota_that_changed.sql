-- sluice.tell_workers
begin;
\ir ../../_helpers.sql
select plan(3);

-- The notification is not to be seen before the commit, which tests/e2e/test_wakeups.py waits for.
select matches(pg_get_triggerdef(oid), 'AFTER UPDATE ON .*tenants FOR EACH ROW WHEN \(+'
  'old\.name IS DISTINCT FROM new\.name\) OR \(old\.rpm IS DISTINCT FROM new\.rpm\)+ OR '
  '\(old\.tpm IS DISTINCT FROM new\.tpm\)+ EXECUTE FUNCTION .*tell_workers',
  'not of another weight') from pg_trigger where tgname = 'after_tenant_quota_changed';
select matches(pg_get_triggerdef(oid), 'AFTER DELETE ON .*tenants FOR EACH ROW WHEN '
  '.*num_nonnulls\(old\.rpm, old\.tpm\) > 0', 'of a deleted one that had a quota')
from pg_trigger where tgname = 'after_tenant_quota_deleted';
select lives_ok(format($$ insert into sluice.tenants (name, rpm) values (%1$L, 1);
  update sluice.tenants set rpm = 2 where name = %1$L;
  delete from sluice.tenants where name = %1$L $$, 't-' || pg_backend_pid()),
  'a quota is raised, and goes');

select * from finish();
rollback;
