-- sluice.may_act_for
begin;
\ir ../../_helpers.sql
select plan(10);

select given_model() as m \gset
select given_tenant('sluice_submitter') as a \gset
insert into sluice.tenants (name) values ('open-' || :'a');
select sluice.submit('x', :'m', tenant => :'a') as closed \gset
set local role sluice_submitter;
select is((error_of(format('select sluice.submit(''x'', %L)', :'m'))).code, 'SL009',
  'not unless they were told');
reset role;
update sluice.settings set default_role = 'sluice_submitter';
set local role sluice_submitter;
select lives_ok(format('select sluice.submit(''x'', %L, tenant => %L)', :'m', t), t)
from unnest(array['default', 'open-' || :'a', 'unheard-of']) t;
select is((error_of(format('select sluice.submit(''x'', %L, tenant => %L)', :'m', :'a'))).code,
  'SL009', 'not for the others');
select is_empty(format('select * from sluice.tasks where id = %s', :closed),
  'whose tasks it does not see');
set local role sluice_reader;
select is_empty(format('select * from sluice.tasks where id = %s', :closed), 'nor does a reader');
select is_empty('select * from sluice.tasks', 'who sees none at all');
set local role sluice_admin;
select is((select id from sluice.tasks where id = :closed), :closed::bigint,
  'an administrator sees all');
select is(sluice.cancel(:closed), 'cancelled', 'and may act for all');

select * from finish();
rollback;
