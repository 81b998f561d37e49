-- The partitions below all ranges are called by what they hold: tasks and results that are retained
-- although their range was dropped.
alter table if exists sluice.task_attic rename to task_retained;
alter table if exists sluice.result_attic rename to result_retained;
do $$
begin
  alter type sluice.retention_round rename attribute carried to retained;
exception when undefined_column then null;
end
$$;
