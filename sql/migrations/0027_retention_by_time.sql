-- Conditions that cancel_all, redrive_all and forget_all have in common.
alter type sluice.task_filter
  add attribute name text,              -- of the model or the route, as it was given
  add attribute since timestamptz,
  add attribute until timestamptz,
  add attribute error_like text,
  add attribute error_code text;

-- They take more arguments now; beside the old ones a call would be ambiguous.
drop function if exists sluice.cancel_all(text, text, jsonb, bigint, timestamptz), sluice.redrive_all(text, text, timestamptz),
  sluice.task_filter_of(text, text, jsonb, bigint);

-- The time of the round; null: it was not due.
alter type sluice.retention_round add attribute at timestamptz;

-- How far sluice.erase_overdue has come: the next id it looks at.
create sequence sluice.erase_from minvalue 0;
