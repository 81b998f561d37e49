-- sluice.note_command The attack: select count(sluice.forget(2)) from generate_series(1, 20000)
-- wrote 20,000 rows of the million that are kept.
begin;
\ir ../../_helpers.sql
select plan(6);

select given_model() as m \gset
select given_tenant('sluice_submitter') as a \gset
select sluice.submit('x', :'m', tenant => :'a') as t \gset
select count(*) as before from sluice.audit \gset
set local session authorization :"a";
select sluice.cancel(:t), sluice.redrive(:t), sluice.cancel_all(tenant => :'a'),
  sluice.forget_all(tenant => :'a') \g /dev/null
select count(sluice.forget(:t)) from generate_series(1, 100) \g /dev/null
reset session authorization;
select is(count(*), :before::bigint, 'what a client does to his own tasks is not noted')
from sluice.audit;
select sluice.create_key('00000000000000aa', sha256('k'), 'k', 'any', '{submit}'),
  sluice.create_key('00000000000000bb', sha256('l'), 'l', null, '{admin}') \g /dev/null
select set_config('sluice.api_key', '00000000000000aa', true) \g /dev/null
select sluice.forget(:t) \g /dev/null
select is(count(*), :before::bigint + 2, 'nor over HTTP') from sluice.audit;
select set_config('sluice.api_key', '00000000000000bb', true) \g /dev/null
select sluice.forget(:t), sluice.pause(:'m') \g /dev/null
select is(array(select action || ' ' || who from sluice.audit_log order by id desc limit 2),
  array(select a || format(' key 00000000000000bb via %s', session_user)
    from unnest(array['pause', 'forget']) a),
  'an administrator''s key is named');
select set_config('sluice.api_key', '', true) \g /dev/null

set local session authorization :"a";
select set_config('sluice.api_key', '00000000000000bb', true) \g /dev/null
select sluice.forget(:t) \g /dev/null
reset session authorization;
select is(count(*), :before::bigint + 4, 'and it does not help a client to name one')
from sluice.audit;
select set_config('sluice.api_key', '', true) \g /dev/null
set local role sluice_admin;
select sluice.pause(:'m') \g /dev/null
reset role;
select is((select who from sluice.audit order by id desc limit 1), session_user::name,
  'a role that was set hides no login');
select is((select api_key from sluice.audit order by id desc limit 1), null,
  'without a key there is none');

select * from finish();
rollback;
