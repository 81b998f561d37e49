-- The most tokens that a verbatim request may have, as its submitter reckoned it for models of api.
create type sluice.request_bound as (
  api    text,
  input  int,        -- null: any number
  output int,
  fault  text        -- because of what in the request
);

-- Null: of a prompt, or of a request that came while there was no budget.
alter table sluice.task add column bounds sluice.request_bound;
