-- What is known of PostgreSQL's queue of notifications (1_base/notifications.sql). Sequences, for it must be seen at once, and stay if who
-- found it out fails.
create unlogged sequence sluice.notify_usage minvalue 0;      -- how full the queue is, in thousandths; from 500 on nobody notifies
create unlogged sequence sluice.notify_looked_at minvalue 0;  -- when somebody looked, in ms since the epoch
