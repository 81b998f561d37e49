begin;
\ir ../../_helpers.sql
select plan(6);

select given_model() as m, 'key of ' || pg_backend_pid() as key \gset
select is(sluice.is_bound('default', :'key'), false, 'not yet');
select sluice.submit('x', :'m', idempotency_key => :'key') \g /dev/null
select is(sluice.is_bound('default', :'key'), true, 'now');
select is(sluice.is_bound('another', :'key'), false, 'not another tenant''s');
select is(sluice.is_bound('default', null), false, 'no key is none');


-- Who may not act for its tenant learns nothing of it by what is refused first.
select given_tenant('sluice_submitter') as stranger \gset
set local role :"stranger";
select is((error_of(format('select sluice.submit(''x'', %L, deadline => ''2020-01-01'',
  idempotency_key => %L)', :'m', k))).code, 'SL004', 'used or not: ' || k)
from unnest(array[:'key', 'another']) k;
reset role;

select * from finish();
rollback;
