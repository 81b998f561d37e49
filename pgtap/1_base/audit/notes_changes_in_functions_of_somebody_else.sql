-- The attack: an administrator changed a model in a SECURITY DEFINER function of another role,
-- where the current user was neither the caller nor the role that he had set.
begin;
\ir ../../_helpers.sql
select plan(4);

select given_tenant('sluice_admin') as a, given_model() as m \gset
select session_user as s, current_schema as test_schema \gset
grant create on schema :test_schema to sluice_admin;
set local session authorization :"a";
set local role sluice_admin;
select set_config('test.m', :'m', true) \g /dev/null
create function hidden() returns void language sql security definer as $$
  set local sluice.closed_by = 'worker';
  update sluice.models set closed_until = 'infinity', url = 'http://elsewhere'
  where name = current_setting('test.m');
  insert into sluice.payload_schema (target, version, schema)
  values (current_setting('test.m'), 'v', '{"const": 1}');
$$;
set local role :"a";
select hidden() \g /dev/null
select sluice.pause(:'m') \g /dev/null
reset session authorization;
select is(array(select action from sluice.audit where who = :'a' order by id),
  '{update models,insert payload_schema,pause}', 'both are noted, what our function does once');
select is((select detail ->> 'closed_until' from sluice.audit where who = :'a'
  and action = 'update models'), '[null, "infinity"]', 'with what changed');
select is((select detail ->> 'url' from sluice.audit where who = :'a'
  and action = 'update models'), '["http://127.0.0.1:1", "http://elsewhere"]', 'and to what');
select is(array(select distinct substring(pg_get_triggerdef(t.oid) from 'CURRENT_USER <> ''(\w+)''')
  from pg_trigger t where t.tgname = 'note_configuration'), array['sluice_owner'],
  'the owner, and nobody else, is spared');

select * from finish();
rollback;
