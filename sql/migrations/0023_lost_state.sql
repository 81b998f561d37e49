-- What unlogged sequences can lose besides their values (03_mend.sql), and when the clock last jumped (22_permits.sql).

-- Set once all unlogged sequences were found intact. Unlogged itself: whatever may damage them also resets, or damages, this.
create unlogged sequence sluice.intact minvalue 0;

-- When a worker last noted that the server's clock had jumped ahead, in microseconds since the epoch. Unlogged: after a crash
-- every bucket is empty anyway.
create unlogged sequence sluice.clock_jumped_at minvalue 0;
