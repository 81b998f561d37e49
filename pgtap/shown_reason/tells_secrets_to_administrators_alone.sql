-- The attack: tenants learned by explain whether a file or a variable is there.
begin;
\ir ../_helpers.sql
select plan(7);

select given_model() as m \gset
select given_tenant('sluice_submitter') as a \gset
update sluice.settings set default_role = 'sluice_reader';
select sluice.submit('x', :'m', tenant => :'a') as t \gset
select sluice.close_model(:'m', 'infinity', 'credential: secret env:KEY_OF_M is not set in the worker''s environment') \g /dev/null
select matches(sluice.explain(:t), 'KEY_OF_M is not set', 'an administrator hears why');
select matches(state_reason, 'KEY_OF_M is not set', 'and sees it') from sluice.queues where model = :'m';
set local role :"a";
select alike(sluice.explain(:t), '%(credential: its secret cannot be read)%', 'a tenant hears what it is');
reset role;
set local role sluice_reader;
select is(array[closed_reason, state_reason], array_fill('credential: its secret cannot be read'::text, '{2}'), 'a reader sees no more')
from sluice.queues where model = :'m';
reset role;
select sluice.create_key('00000000000000aa', sha256('k'), 'k', :'a', '{read}') \g /dev/null
select set_config('sluice.api_key', '00000000000000aa', true) \g /dev/null
select unalike(sluice.explain(:t), '%KEY_OF_M%', 'nor does a key over HTTP');
select is(sluice.shown_reason('HTTP 429'), 'HTTP 429', 'what names no secret is shown');
select is(sluice.shown_reason(null), null, 'no reason is none');

select * from finish();
rollback;
