-- The attack: readers saw in the audit where the secrets are.
begin;
\ir ../../_helpers.sql
select plan(6);

select is(sluice.without_secrets(
  '{"secret": "env:KEY", "url": ["a", "b"], "rpm": [1, 2], '
  '"closed_reason": [null, "no\"pe"], "closed_detail": "no\"pe"}'::jsonb),
  '{"secret": "for administrators", "url": "for administrators", "rpm": [1, 2],
    "closed_reason": "for administrators",
    "closed_detail": "for administrators"}', 'an audit''s detail');
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
set local role sluice_reader;
select isnt_empty(format('select * from sluice.audit_log where object = %L', :'m'),
  'a reader reads the audit');
select is_empty($$select * from sluice.audit_log where detail::text ~ 'etc/secret|http://me'$$,
  'without names of secrets');
reset role;
set local role :"a";
select is((select detail ->> 'secret' from sluice.audit_log where object = :'m'
  and action = 'change models'), 'file:/etc/secret/of/m', 'an administrator with them');
select matches((select detail ->> 'closed_reason' from sluice.audit_log where object = :'m'
  order by id desc limit 1), 'file:/etc/secret', 'and with the reason');

select * from finish();
rollback;
