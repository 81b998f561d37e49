-- Jobs over chosen tasks, and to another model.

alter type sluice.job_conditions add attribute ids bigint[];
alter type sluice.task_filter
  add attribute ids bigint[],             -- of chosen tasks; null: any
  add attribute is_retargeted boolean;    -- redriven to another model: its own may be gone
