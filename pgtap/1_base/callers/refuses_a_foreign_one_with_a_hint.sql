begin;
\ir ../../_helpers.sql
select plan(4);

select given_tenant('sluice_submitter') as a \gset
select given_tenant('sluice_submitter') as b \gset
select lives_ok(format('select sluice.require_tenant(%L)', :'a'), 'a superuser acts for all');
create function asked(p_tenant text) returns void
  language sql security definer as $$ select sluice.require_tenant(p_tenant) $$;
set local role :"a";
select lives_ok(format('select asked(%L)', :'a'), 'it is its own');
select is((error_of(format('select asked(%L)', :'b'))).code, 'SL009', 'a foreign one');
select is((error_of(format('select asked(%L)', :'b'))).hint, format('It may act for: %s.', :'a'),
  'the hint names its own alone');

select * from finish();
rollback;
