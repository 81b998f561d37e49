-- Metadata whose text is unbounded: 1e131071 has 6 bytes as jsonb and 131,072 as text. Whoever reads such a task gets 262 MB.
-- From now on submit refuses it (09_values.sql: is_small_json).
update sluice.task t set metadata = '{"sluice": "metadata with numbers of more than 400 digits was removed"}'
where t.metadata is not null and exists (
  select from jsonb_path_query(t.metadata, 'strict $.** ? (@.type() == "number")') n
  where abs(n::numeric) >= 1e400 or scale(n::numeric) > 400);
