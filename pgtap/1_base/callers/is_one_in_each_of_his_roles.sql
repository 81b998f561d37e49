begin;
\ir ../../_helpers.sql
select plan(3);

-- Only its owner calls it; the roles are seen through a definer.
create function asked() returns boolean
  language sql security definer as $$ select sluice.is_administrator() $$;
select given_tenant('sluice_admin') as admin, given_tenant('sluice_submitter') as client \gset
select ok(asked(), 'the owner of the database');
set local role :"admin";
select ok(asked(), 'a member of sluice_admin');
set local role :"client";
select ok(not asked(), 'not who only submits');

select * from finish();
rollback;
