-- What undoing a job needs and is to be deleted is found by its time; undo_until is -infinity where
-- that is now. Null: there is nothing.
create index job_undo_until on sluice.job (undo_until) where finished_at is not null;
update sluice.job j set undo_until = '-infinity'
where j.finished_at is not null and j.undo_until is null
  and exists (select from sluice.job_part k where k.job = j.id);
