begin;
\ir ../_helpers.sql
select plan(4);

select sluice.create_key('aaaa456789abcdef', sha256('k'), 'x', null, '{admin}', at(0));
select is(sluice.revoke_key('aaaa456789abcdef', at(1)), true, 'ended');
select is(sluice.revoke_key('aaaa456789abcdef', at(2)), false, 'once');
select is(sluice.revoke_key('bbbb456789abcdef', at(2)), false, 'there is none');
select is((select revoked_at from sluice.api_key where id = 'aaaa456789abcdef'), at(1),
  'at that moment');

select * from finish();
rollback;
