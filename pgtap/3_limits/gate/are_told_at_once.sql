-- sluice.before_gate_changes, sluice.after_gate_changes
begin;
\set alone
\ir ../../_helpers.sql
select plan(6);

select given_model() as m \gset
select nextval('sluice.task_id') from generate_series(1, 7) \g /dev/null
select setval('sluice.load_all', 7) \g /dev/null
update sluice.settings set request_bytes_max = 10, max_unfinished = 100, max_tenants = null,
  tenant_max_priority = 5;
select is((select (request_bytes_max, max_unfinished, full_at, 'x' = any (noted) is null)::text
  from sluice.gate), '(10,100,102,t)', 'the settings');
select is((select is_guarded from sluice.gate), false, 'no tenant has a role of its own');
insert into sluice.tenants (name, role) values ('a', 'sluice_reader');
select is((select is_guarded from sluice.gate), true, 'one has');
select is((select (bounds_models, limits_tokens)::text from sluice.gate), '(f,f)',
  'no model has bounds');
update sluice.models set max_queue = 5 where name = :'m';
select is((select (bounds_models, limits_tokens)::text from sluice.gate), '(t,f)', 'one does');
insert into sluice.models (name, url, tpm) values ('limited', 'http://127.0.0.1:1', 1000);
select is((select limits_tokens from sluice.gate), true, 'a new one with tokens a minute');

select * from finish();
rollback;
