-- The attack: readers saw in the audit where the secrets are.
begin;
\ir ../../_helpers.sql
select plan(8);

select is(sluice.without_secrets(
  '{"secret": "env:KEY", "url": ["a", "b"], "rpm": [1, 2], '
  '"closed_reason": [null, "no\"pe"], "closed_detail": "no\"pe"}'::jsonb),
  '{"secret": "for administrators", "url": "for administrators", "rpm": [1, 2],
    "closed_reason": "for administrators",
    "closed_detail": "for administrators"}', 'an audit''s detail');
select is_empty($$select t.tgrelid::regclass, a.attname
  from pg_trigger t join pg_attribute a on a.attrelid = t.tgrelid and a.attnum > 0
  where t.tgname = 'note_configuration' and a.attname ~ 'url|secret|schema$'
    and sluice.without_secrets(jsonb_build_object(a.attname, 'x')) ->> a.attname = 'x'$$,
  'each column that is audited and may hold a URL');
select is(sluice.without_secrets('{}'::jsonb), null, 'an empty one');

select given_tenant('sluice_admin') as a, given_model() as m \gset
update sluice.settings set default_role = 'sluice_reader';
select sluice.configure('models', :'m', '{"secret": "file:/etc/secret/of/m", "url": "http://me/"}',
  false) \g /dev/null
select sluice.close_until(:'m', 'infinity', 'credential: its secret cannot be read',
  'secret file:/etc/secret/of/m cannot be opened')
\g /dev/null
update sluice.models set closed_reason = 'secret file:/etc/secret/of/m cannot be opened'
where name = :'m';
insert into sluice.payload_schema (target, version, schema)
values (:'m', 'v', '{"const": "http://me/"}');
update sluice.settings set trace_url = 'http://me/{trace_id}';
update sluice.tenants set role = null;  -- who may not act for every tenant reads no audit
set local role sluice_reader;
select isnt_empty(format('select * from sluice.audit_log where object = %L', :'m'),
  'a reader reads the audit');
select is_empty($$select * from sluice.audit_log where detail::text ~ 'etc/secret|http://me'$$,
  'without names of secrets, and without URLs');
reset role;
set local role :"a";
select is((select detail ->> 'secret' from sluice.audit_log where object = :'m'
  and action = 'change models'), 'file:/etc/secret/of/m', 'an administrator with them');
select matches((select detail ->> 'closed_reason' from sluice.audit_log where object = :'m'
  order by id desc limit 1), 'file:/etc/secret', 'and with the reason');
select is((select detail ->> 'trace_url' from sluice.audit_log
  where action = 'update settings' and detail ? 'trace_url' order by id desc limit 1),
  '[null, "http://me/{trace_id}"]', 'and with the URLs');

select * from finish();
rollback;
