-- What functions decide by of a task: all but its texts, for a row that is handed on whole is read
-- whole, and a text may have 64 MB.
create type sluice.task_facts as (
  id                bigint,
  model             int,
  route             text,
  api               text,
  schema_version    text,
  affinity_key      text,
  tenant            text,
  is_verbatim       boolean,
  body_bytes        int,
  max_output_tokens int
);
