-- Extra calls of a task under way, and what a worker must know of a task to gather it with others.

-- Of the lease's task that are under way: one, and those that hedge it.
alter table sluice.lease add column calls smallint not null default 1;

-- hedged: an extra call of a task. It ends with its task, whichever call answered first: ended_at is null.
alter table sluice.attempt alter column ended_at drop not null;
alter table sluice.attempt drop constraint kind_is_known;
alter table sluice.attempt add constraint kind_is_known
  check (kind in ('retry', 'failed', 'lost', 'late', 'redriven', 'hedged'));
alter table sluice.attempt add constraint only_a_hedged_call_has_no_end check (ended_at is not null or kind = 'hedged');

alter type sluice.claimed_task add attribute priority int;
