begin;
\set alone
\ir ../_helpers.sql
select plan(7);

select sluice.create_key('0123456789abcdef', sha256('k'), 'for tests', 't', '{submit}', at(0));
select results_eq($$select sha256, name, tenant, scopes, created_at, revoked_at from sluice.api_key
  where id = '0123456789abcdef'$$,
  $$values (sha256('k'), 'for tests', 't', array['submit'], at(0), null::timestamptz)$$, 'stored');
select is((select who || ' ' || object || coalesce(detail ->> 'sha256', '') from sluice.audit
  where action = 'create_key'
  and object = '0123456789abcdef'), session_user || ' 0123456789abcdef',
    'and noted, without the hash');
select throws_ok($$select sluice.create_key('1123456789abcdef', sha256('k'), 'x', 't', '{admin}')$$,
  '23514', null, 'an administrator has no tenant');
select throws_ok($$select sluice.create_key('1123456789abcdef', sha256('k'), 'x', null, '{fly}')$$,
  '23514', null, 'unknown scope');
select throws_ok($$select sluice.create_key('1123456789abcdef', sha256('k'), 'x', null, '{}')$$,
  '23514', null, 'no scope');
insert into sluice.api_key (id, sha256, name, scopes, created_at)
select lpad(to_hex(n), 16, '0'), sha256('x'), 'x', '{read}', at(0)
from generate_series(2, 10000) n;
select throws_ok($$select sluice.create_key('2123456789abcdef', sha256('k'), 'x', null, '{read}')$$,
  'SL003', null, 'too many');
select sluice.revoke_key('0123456789abcdef', at(1));
select lives_ok($$select sluice.create_key('2123456789abcdef', sha256('k'), 'x', null, '{read}')$$,
  'until one is revoked');

select * from finish();
rollback;
