-- It takes another argument now; beside the old one a call would be ambiguous.
drop function if exists sluice.check_filter(sluice.task_filter, text);
