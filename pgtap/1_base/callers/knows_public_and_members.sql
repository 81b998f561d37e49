begin;
\ir ../../_helpers.sql
select plan(6);

select given_tenant('sluice_submitter') as a \gset
select ok(sluice.has_role('sluice_submitter', 'public'), 'everybody is public');
select ok(sluice.has_role(:'a', 'sluice_submitter'), 'a member');
select ok(sluice.has_role(:'a', :'a'), 'oneself');
select ok(not sluice.has_role('sluice_submitter', :'a'), 'not the other way round');
select is(sluice.has_role(:'a', 'nobody_of_that_name'), false, 'a role that is not there');
select is(sluice.has_role(:'a', null), false, 'none');

select * from finish();
rollback;
