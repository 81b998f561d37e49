-- It takes another argument now; beside the old one a call would be ambiguous.
drop function if exists sluice.check_filter(sluice.task_filter, text);

-- By how much the clock had jumped when somebody noted it (22_permits.sql), in microseconds. Unlogged, as clock_jumped_at.
create unlogged sequence sluice.clock_jumped_by minvalue 0;
drop function if exists sluice.note_clock_jump(interval, timestamptz);
