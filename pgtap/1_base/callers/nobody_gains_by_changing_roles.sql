-- sluice.may_act_for
begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_tenant('sluice_submitter') as a \gset
select given_tenant('sluice_submitter') as b \gset
select sluice.submit('x', :'m', tenant => :'a') as own \gset
set local session authorization :"a";
select is((select id from sluice.tasks), :own::bigint, 'a tenant''s session sees its tasks');
set local role sluice_submitter;
select is((error_of(format('select sluice.submit(''x'', %L)', :'m'))).code, 'SL009',
  'as a group it may not act for more');
select throws_ok(format('set role %I', :'b'), '42501', null, 'nor become somebody else');
reset role;
select set_config('sluice.tenant', :'b', true) \g /dev/null
select is((select count(*) from sluice.tasks), 1::bigint, 'and no setting helps');

select * from finish();
rollback;
