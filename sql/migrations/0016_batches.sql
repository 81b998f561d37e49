-- Calls for many tasks: one that failed as a whole stands among the attempts of each of its tasks, which are not charged.

alter table sluice.attempt drop constraint kind_is_known;
alter table sluice.attempt add constraint kind_is_known
  check (kind in ('retry', 'failed', 'lost', 'late', 'redriven', 'hedged', 'returned'));
