-- Metadata whose text is unbounded: 1e131071 has 6 bytes as jsonb and 131,072 as text. Whoever reads such a task gets 262 MB.
-- From now on submit refuses it (09_values.sql: is_small_json).
update sluice.task t set metadata = '{"sluice": "metadata with numbers of more than 400 digits was removed"}'
where t.metadata is not null and exists (
  select from jsonb_path_query(t.metadata, 'strict $.** ? (@.type() == "number")') n
  where abs(n::numeric) >= 1e400 or scale(n::numeric) > 400);

-- Who acts for tenants without a role of their own: the members of this database role; 'public': everybody; null: only
-- administrators (07_callers.sql). Where tenants have roles it begins closed.
alter table sluice.settings add column default_role name default 'public';
update sluice.settings set default_role = null where exists (select from sluice.tenants where role is not null);

-- Its name says too little by now (71_configure.sql: is_kept).
drop function if exists sluice.is_state(text);

-- Who did it: the login and, where the HTTP front did, the key for which. The view's column of it is text now.
drop view if exists sluice.audit_log;
alter table sluice.audit add column api_key text;
