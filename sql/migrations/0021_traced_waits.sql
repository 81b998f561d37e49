-- The claim of a traced task says how long it was in the queue.
alter type sluice.claimed_task add attribute queued_ms bigint;
