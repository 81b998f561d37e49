begin;
\ir ../../_helpers.sql
select plan(5);

set local timezone = 'UTC';
select given_tenant(rpm => 60) as t, given_tenant(tpm => 6000) as k \gset
select is(sluice.tenant_text(:'t', 0, at(0)), null, 'he has one');
select is(sluice.tenant_text('nobody', 0, at(0)), null, 'he needs none');
select sluice.take_permits(sluice.request_quota(t), 1, at(0)) as x from sluice.tenants t
where name = :'t' \g /dev/null
select is(sluice.tenant_text(:'t', 0, at(0)),
  format('tenant "%s" has no permit before 00:00:01 (rpm 60)', :'t'), 'when it comes');
select is(sluice.tenant_text(:'t', 59, at(0)),
  format('tenant "%s" has no permit before 00:00:01 (rpm 60), this task not before 00:01:00', :'t'),
    'those before it take theirs first');
select sluice.take_permits(sluice.token_quota(t), 1000, at(0)) from sluice.tenants t
where name = :'k' \g /dev/null
select is(sluice.tenant_text(:'k', 59, at(0)),
  format('tenant "%s" has no permit before 00:00:09 (tpm 6000)', :'k'),
  'in tokens nobody knows what those before it take');

select * from finish();
rollback;
