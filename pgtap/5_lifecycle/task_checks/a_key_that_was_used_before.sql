begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m, 'key of ' || pg_backend_pid() as key \gset
select is(sluice.is_bound('default', :'key'), false, 'not yet');
select sluice.submit('x', :'m', idempotency_key => :'key') \g /dev/null
select is(sluice.is_bound('default', :'key'), true, 'now');
select is(sluice.is_bound('another', :'key'), false, 'not another tenant''s');
select is(sluice.is_bound('default', null), false, 'no key is none');

select * from finish();
rollback;
