-- sluice.may_act_for
begin;
\ir ../../_helpers.sql
select plan(17);

select given_model() as m \gset
select given_tenant('sluice_submitter') as a \gset
select given_tenant('sluice_submitter') as b \gset
select sluice.submit('x', :'m', tenant => :'b') as foreign \gset
select sluice.submit('x', :'m') as nobodys \gset
set local role :"a";
select sluice.submit('x', :'m', tenant => :'a') as own \gset
select is((select tenant from sluice.task(:own)), :'a', 'it submits and reads as its tenant');
select code, hint
from error_of(format('select sluice.submit(''x'', %L, tenant => %L)', :'m', :'b')) \gset
select is(:'code'::text, 'SL009', 'not as another');
select matches(:'hint'::text, :'a', 'the hint names its own');
select is((error_of(format('select sluice.submit(''x'', %L)', :'m'))).code, 'SL009',
  'not even as nobody''s: the default');
select code, message from error_of(format('select sluice.submit_many(%L)', jsonb_build_array(
  jsonb_build_object('prompt', 'x', 'model', :'m', 'tenant', :'a'),
  jsonb_build_object('prompt', 'x', 'model', :'m', 'tenant', :'b')))) \gset
select is(:'code'::text, 'SL009', 'nor among many');
select matches(:'message'::text, '^task 2: ', 'the message says which');
select is((error_of(format('select sluice.submit_many(%L)', jsonb_build_array(
  jsonb_build_object('prompt', 'x', 'model', :'m'))))).code, 'SL009',
    'without a name it is the default there too');
select is((error_of(format('select sluice.cancel(%s)', t))).code, 'SL006',
  'it cancels no foreign task')
from unnest(array[:foreign, :nobodys]) t;
select is_empty(format('select * from sluice.task(%s)', t), 'and sees none by its id')
from unnest(array[:foreign, :nobodys]) t;
select results_eq('select id from sluice.tasks', array[:own]::bigint[], 'nor in the view');
select is(sluice.cancel(:own), 'cancelled', 'it cancels its own');

set local role :"b";
select results_eq('select id from sluice.tasks', array[:foreign]::bigint[],
  'the other one sees the other one''s');
reset role;
grant :"b" to :"a";
set local role :"a";
select is(count(*), 2::bigint, 'a member of two roles acts for two tenants') from sluice.tasks;
reset role;
update sluice.tenants set role = null where name = :'b';
set local role :"a";
select results_eq('select id from sluice.tasks', array[:own]::bigint[],
  'for one again when the other tenant has no role');
reset role;
drop role :"a";
set local role :"b";
select is((error_of(format('select sluice.submit(''x'', %L, tenant => %L)', :'m', :'a'))).code,
  'SL009', 'a tenant whose role is gone is nobody''s');

select * from finish();
rollback;
