begin;
\ir ../../_helpers.sql
select plan(4);

select given_tenant('sluice_admin') as admin, given_tenant('sluice_submitter') as client,
  given_tenant('sluice_owner') as owner \gset
select ok(sluice.administers(:'owner'), 'a member of the role that owns the schema');
select ok(sluice.administers(:'admin'), 'a member of sluice_admin');
select ok(not sluice.administers(:'client'), 'not who only submits');

-- As sluice migrate --without-roles makes it.
alter schema sluice owner to :"client";
select ok(sluice.administers(:'client') and not sluice.administers(:'admin'),
  'without roles: the owner, and no other database''s admins');

select * from finish();
rollback;
